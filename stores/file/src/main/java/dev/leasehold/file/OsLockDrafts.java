package dev.leasehold.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Files beside a lock file that are there for a moment, under the names of the processes that made them. */
final class OsLockDrafts {
    /** Much longer than a process needs one, unless it was stopped; it makes another then. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final Path path;
    private final Pattern name;
    private boolean isSwept;

    OsLockDrafts(Path path) {
        this.path = path;
        this.name = Pattern.compile(Pattern.quote(path.getFileName() + ".new-") + "(?:(\\d{1,10})-)?[0-9a-f]{32}");
    }

    /** A name that no other draft has. */
    Path next() {
        return path.resolveSibling(
                path.getFileName() + ".new-" + ProcessHandle.current().pid() + "-" + Machine.newTag());
    }

    /** Deletes what dead processes left, once: there is hardly ever any. Under the lock of the lock file's object. */
    void sweepOnce(Machine machine) throws IOException {
        if (isSwept) {
            return;
        }
        Path parent = Objects.requireNonNull(path.getParent());
        for (String sibling : machine.disk().list(parent, path.getFileName() + ".new-")) {
            Matcher draft = name.matcher(sibling);
            if (draft.matches() && isLeft(machine, draft.group(1), parent.resolve(sibling))) {
                machine.disk().discard(parent.resolve(sibling));
            }
        }
        isSwept = true;
    }

    private static boolean isLeft(Machine machine, @Nullable String pid, Path draft) throws IOException {
        if (pid != null && !machine.processes().sees(Long.parseLong(pid))) {
            return true;
        }
        try {
            long age = machine.wallMicros().getAsLong()
                    - Files.getLastModifiedTime(draft).toMillis() * 1_000;
            return age > LONGEST.toMillis() * 1_000;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
