package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold acquire}: a lease for a script, which renews and releases it by the token that is printed. */
@Command(name = "acquire", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class AcquireCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Mixin
    private KeyOption key = new KeyOption();

    @Option(names = "--ttl", paramLabel = "TIME", defaultValue = "300", converter = Durations.class)
    private Duration ttl = Duration.ZERO;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "TIME",
            defaultValue = "0",
            converter = Durations.class)
    private Duration wait = Duration.ZERO;

    @Option(names = "--owner", paramLabel = "NAME", converter = Owners.class)
    private @Nullable Owner owner;

    @Override
    public Integer call() throws InterruptedException {
        if (store.url().scheme().equals("worker-lock")) {
            throw output.misuse("acquire.no-owner");
        }
        Owner holder = owner != null ? owner : ThisMachine.caller();
        AcquireRequest request = AcquireRequest.of(key.get(), nonce(), holder, output.checkedTtl(ttl));
        try (LeaseStore opened = store.openInTime();
                Taking taking = new Taking(opened, request)) {
            AcquireResult answer = taking.ask(wait);
            if (answer instanceof AcquireResult.Granted granted) {
                Token token = new Token(request.nonce(), granted.fence());
                output.answer(token.toString(), fields(request.key(), token, granted.remaining()));
                if (output.isCutOff()) {
                    // Nobody has the token, so nobody could give the lease back.
                    return ExitCode.BUSY;
                }
                taking.keep();
                Notes.append(opened, note(request, HistoryKind.ACQUIRED).withLease(holder, granted.fence()), output);
                return 0;
            }
            Acquisition.Refused refused = new Acquisition.Refused(request.key(), answer);
            output.deny(Refusal.text(refused), refusal(request.key(), answer));
            Notes.append(
                    opened,
                    note(request, HistoryKind.SKIPPED).withLease(holder, null).withReason(refused.why()),
                    output);
            return ExitCode.BUSY;
        }
    }

    private static HistoryNote note(AcquireRequest request, HistoryKind kind) {
        return HistoryNote.of(request.key(), kind);
    }

    private static Nonce nonce() {
        SecureRandom random = new SecureRandom();
        return new Nonce(random.nextLong(), random.nextLong());
    }

    static Map<String, Object> fields(Key key, Token token, Duration remaining) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key.value());
        fields.put("token", token.toString());
        fields.put("fence", token.fence().value());
        fields.put("remainingMs", remaining.toMillis());
        return fields;
    }

    private static Map<String, Object> refusal(Key key, AcquireResult answer) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key.value());
        fields.put("token", null);
        if (answer instanceof AcquireResult.Held held) {
            fields.put("state", "held");
            @Nullable Owner holder = held.owner();
            fields.put("owner", holder == null ? null : holder.label());
            fields.put("fence", held.fence().value());
            fields.put("heldForMs", held.heldFor().toMillis());
            fields.put("remainingMs", held.remaining().toMillis());
        } else if (answer instanceof AcquireResult.Cooling cooling) {
            fields.put("state", "cooling");
            fields.put("remainingMs", cooling.remaining().toMillis());
        } else if (answer instanceof AcquireResult.Settled settled) {
            fields.put("state", "settled");
            fields.put("fence", settled.fence().value());
            fields.put("remainingMs", settled.remaining().toMillis());
        }
        return fields;
    }
}
