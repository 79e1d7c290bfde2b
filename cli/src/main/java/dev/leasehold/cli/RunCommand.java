package dev.leasehold.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold run}: any command, while a lease is held. */
@Command(name = "run", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    enum OnLost {
        stop,
        warn
    }

    enum OnStoreError {
        fail,
        run
    }

    enum Renew {
        auto,
        off
    }

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private GuardOptions how = new GuardOptions();

    @Mixin
    private KeyOption key = new KeyOption();

    @Option(names = "--at-least", paramLabel = "TIME", defaultValue = "0", converter = Durations.class)
    private Duration atLeast = Duration.ZERO;

    @Option(names = "--renew", paramLabel = "auto|off", defaultValue = "auto")
    private Renew renew = Renew.auto;

    @Option(names = "--on-lost", paramLabel = "stop|warn", defaultValue = "stop")
    private OnLost onLost = OnLost.stop;

    @Option(names = "--on-store-error", paramLabel = "fail|run", defaultValue = "fail")
    private OnStoreError onStoreError = OnStoreError.fail;

    @Option(names = "--dry-run")
    private boolean isDryRun;

    @Override
    public Integer call() throws InterruptedException {
        Plan plan =
                how.plan(key.get()).with(renew == Renew.auto, onLost == OnLost.stop, onStoreError == OnStoreError.run);
        if (!atLeast.isZero() && store.url().scheme().equals("worker-lock")) {
            throw how.misuse("run.no-cooldown");
        }
        if (isDryRun) {
            try (Voice voice = how.voice()) {
                return DryRun.of(plan, store, voice);
            }
        }
        return how.run(plan, store, new OneAtATime(atLeast));
    }
}
