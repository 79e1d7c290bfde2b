package dev.leasehold.cli;

import dev.leasehold.lease.Lease;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a run went, for programs: exit codes alone are ambiguous, since the command may have any. */
final class Report {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    Report(Plan plan) {
        fields.put("outcome", "error");
        fields.put("exitCode", ExitCode.BUG);
        fields.put("key", plan.key().value());
        fields.put("owner", plan.owner().label());
    }

    void put(String name, Object value) {
        fields.put(name, value);
    }

    void putMillis(String name, Duration time) {
        fields.put(name, time.toMillis());
    }

    void granted(Lease lease) {
        fields.put("fence", lease.fence().value());
        fields.put("runId", lease.id());
    }

    void started(Instant at) {
        fields.put("startedAt", at.toString());
    }

    void heldBy(AcquireResult.Held held) {
        Map<String, Object> holder = new LinkedHashMap<>();
        @Nullable Owner owner = held.owner();
        if (owner != null) {
            holder.put("owner", owner.label());
        }
        holder.put("fence", held.fence().value());
        holder.put("heldForMs", held.heldFor().toMillis());
        holder.put("remainingMs", held.remaining().toMillis());
        fields.put("holder", holder);
    }

    /** The end: what it came to, and the code that this process exits with. */
    int ended(String outcome, int exitCode) {
        fields.put("outcome", outcome);
        fields.put("exitCode", exitCode);
        return exitCode;
    }

    Map<String, Object> fields() {
        return fields;
    }

    /** Whoever watches the file sees all of it or nothing. */
    void writeTo(Path file) throws IOException {
        Path target = file.toAbsolutePath();
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            Files.writeString(target, Json.text(fields) + "\n"); // Such as a pipe, which must not be replaced.
            return;
        }
        Path draft = target.resolveSibling(
                "." + target.getFileName() + "." + ProcessHandle.current().pid());
        try {
            Files.writeString(draft, Json.text(fields) + "\n");
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
