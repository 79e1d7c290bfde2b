package dev.leasehold.cli;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold watch}: what happens to keys from now on, a line each. */
@Command(name = "watch", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class WatchCommand implements Callable<Integer> {
    private static final Duration OUTAGE = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Parameters(
            arity = "0..1",
            paramLabel = "PREFIX",
            descriptionKey = "PREFIX",
            defaultValue = "",
            converter = Prefixes.class)
    private String prefix = "";

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "forever", converter = Durations.class)
    private Duration timeout = Micros.FOREVER;

    @Option(names = "--after", paramLabel = "NUMBER")
    private long after = -1;

    @Override
    public Integer call() throws InterruptedException {
        long start = System.nanoTime();
        try (LeaseStore opened = store.openInTime()) {
            History history = Entries.of(opened);
            Stubborn stubborn = new Stubborn(OUTAGE);
            long last = after >= 0 ? after : stubborn.ask(() -> newest(history));
            while (!output.isCutOff()) {
                HistoryRequest request = HistoryRequest.of(prefix).after(last).withLimit(HistoryRequest.MAX_LIMIT);
                List<HistoryEntry> entries = stubborn.ask(() -> history.read(request));
                for (HistoryEntry entry : entries) {
                    output.answer(Entries.line(entry), Entries.fields(entry));
                    last = entry.number();
                }
                Duration left = timeout.minusNanos(System.nanoTime() - start);
                if (left.isZero() || left.isNegative()) {
                    return 0;
                }
                Stubborn.pause(left.compareTo(PAUSE) < 0 ? left : PAUSE);
            }
            return 0;
        }
    }

    private static long newest(History history) {
        return history.read(HistoryRequest.of("").withLimit(1)).stream()
                .mapToLong(HistoryEntry::number)
                .findFirst()
                .orElse(0);
    }
}
