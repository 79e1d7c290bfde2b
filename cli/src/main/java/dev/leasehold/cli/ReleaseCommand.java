package dev.leasehold.cli;

import dev.leasehold.lease.ForcedRelease;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Fence;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold release}: gives back a lease of a script, or takes one away from whoever holds it. */
@Command(name = "release", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class ReleaseCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Mixin
    private KeyOption key = new KeyOption();

    @Option(
            names = {"-t", "--token"},
            paramLabel = "TOKEN",
            descriptionKey = "token",
            converter = Token.Reader.class)
    private @Nullable Token token;

    @Option(names = "--cooldown", paramLabel = "TIME", defaultValue = "0", converter = Durations.class)
    private Duration cooldown = Duration.ZERO;

    @Option(names = "--force")
    private boolean isForced;

    @Option(names = "--fence", paramLabel = "NUMBER")
    private @Nullable Long fence;

    @Option(names = "--reason", paramLabel = "TEXT")
    private @Nullable String reason;

    @Override
    public Integer call() throws InterruptedException {
        return isForced ? force(key.get()) : release(key.get());
    }

    private int release(Key released) throws InterruptedException {
        if (token == null || fence != null || reason != null) {
            throw output.misuse("release.token-or-force");
        }
        LeaseRef lease = token.of(released);
        try (LeaseStore opened = store.openInTime()) {
            Optional<Owner> owner = opened.find(released)
                    .filter(found -> lease.equals(found.record().ref()))
                    .flatMap(found -> new LeaseView(found).owner());
            if (opened.release(ReleaseRequest.of(lease).withCooldown(cooldown)) == ReleaseResult.NOT_HELD) {
                return NotOurs.tell(opened, released, output);
            }
            output.answer(Messages.text("release.done", released), fields(released, lease.fence()));
            Notes.append(
                    opened,
                    HistoryNote.of(released, HistoryKind.RELEASED).withLease(owner.orElse(null), lease.fence()),
                    output);
            return 0;
        }
    }

    private int force(Key taken) throws InterruptedException {
        if (fence == null || fence < 1 || fence > Fence.MAX_VALUE || reason == null || reason.isBlank()) {
            throw output.misuse("release.fence-and-reason", taken);
        }
        if (token != null || !cooldown.isZero()) {
            throw output.misuse("release.token-or-force");
        }
        Fence seen = Fence.of(fence);
        try (LeaseStore opened = store.openInTime();
                Leases leases = Leases.builder(opened).withoutLog().build()) {
            ForcedRelease result = leases.forceRelease(taken, seen, ThisMachine.user(), reason);
            if (result instanceof ForcedRelease.Released released) {
                output.answer(
                        Messages.text(
                                "release.forced",
                                taken,
                                new LeaseView(released.before())
                                        .owner()
                                        .map(Owner::label)
                                        .orElse("?")),
                        fields(taken, seen));
                return 0;
            }
            Optional<LeaseSnapshot> found =
                    result instanceof ForcedRelease.Changed changed ? Optional.of(changed.found()) : opened.find(taken);
            return NotOurs.tell(taken, found, output);
        }
    }

    private static Map<String, Object> fields(Key key, Fence fence) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key.value());
        fields.put("fence", fence.value());
        fields.put("released", true);
        return fields;
    }
}
