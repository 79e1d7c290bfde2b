package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold wait}: until nobody holds a key. Takes nothing, so somebody may hold it again at once. */
@Command(name = "wait", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class WaitCommand implements Callable<Integer> {
    private static final Duration OUTAGE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Parameters(arity = "1", paramLabel = "KEY", descriptionKey = "KEY", converter = Keys.class)
    private @Nullable Key key;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "forever", converter = Durations.class)
    private Duration timeout = Micros.FOREVER;

    @Override
    public Integer call() throws InterruptedException {
        Key wanted = Keys.required(key);
        long start = System.nanoTime();
        try (LeaseStore opened = store.openInTime()) {
            Stubborn stubborn = new Stubborn(OUTAGE);
            Duration pause = SHORTEST_PAUSE;
            while (true) {
                Optional<LeaseView> inTheWay = stubborn.ask(() -> opened.find(wanted))
                        .map(LeaseView::new)
                        .filter(WaitCommand::isInTheWay);
                Duration waited = Duration.ofNanos(System.nanoTime() - start);
                if (inTheWay.isEmpty()) {
                    output.answer(Messages.text("wait.free", wanted), fields(wanted, waited));
                    return 0;
                }
                Duration left = timeout.minus(waited);
                if (left.isZero() || left.isNegative()) {
                    Map<String, Object> fields = inTheWay.get().fields();
                    fields.put("waitedMs", waited.toMillis());
                    output.deny(inTheWay.get().line(), fields);
                    return ExitCode.BUSY;
                }
                Stubborn.pause(shorter(left, pause));
                pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
            }
        }
    }

    private static boolean isInTheWay(LeaseView view) {
        return view.standing() == LeaseView.Standing.HELD || view.standing() == LeaseView.Standing.COOLING;
    }

    private static Map<String, Object> fields(Key key, Duration waited) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key.value());
        fields.put("state", "free");
        fields.put("waitedMs", waited.toMillis());
        return fields;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
