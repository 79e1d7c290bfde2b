package dev.leasehold.cli;

import dev.leasehold.once.Slots;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code leasehold once}: a command that is run once for its key, or once a day, whoever asks and however often. */
@Command(name = "once", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class OnceCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private GuardOptions how = new GuardOptions();

    @Mixin
    private KeyOption key = new KeyOption();

    @Option(names = "--period", paramLabel = "PERIOD", defaultValue = "")
    private String period = "";

    @Option(names = "--zone", paramLabel = "ZONE", defaultValue = "")
    private String zone = "";

    @Option(names = "--retention", paramLabel = "TIME", converter = Durations.class)
    private @Nullable Duration retention;

    @Option(names = "--keep-failures")
    private boolean keepsFailures;

    @Override
    public Integer call() throws InterruptedException {
        if (store.url().scheme().equals("worker-lock")) {
            throw how.misuse("once.no-answers");
        }
        Key job = key.get();
        if (retention != null && retention.isZero()) {
            throw how.misuse("once.retention");
        }
        if (period.isEmpty()) {
            if (!zone.isEmpty()) {
                throw how.misuse("once.zone");
            }
            return run(job, retention == null ? Micros.FOREVER : retention);
        }
        Instant now = Instant.now();
        Slots.Slot slot = slots().slotOf(now);
        // Until the slot is over in any case, or it would be run twice in it.
        Duration least = slot.retentionFrom(now);
        return run(keyIn(slot, job), retention == null || retention.compareTo(least) < 0 ? least : retention);
    }

    private int run(Key run, Duration kept) throws InterruptedException {
        return how.run(how.plan(run), store, new OncePerKey(kept, keepsFailures));
    }

    private Slots slots() {
        boolean isDaily = period.equals("day");
        if (!isDaily && !zone.isEmpty()) {
            throw how.misuse("once.zone");
        }
        try {
            if (isDaily) {
                return Slots.daily(zone.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(zone));
            }
            return period.equals("hour") ? Slots.hourly() : Slots.every(new Durations().convert(period));
        } catch (DateTimeException e) {
            throw how.misuse("once.bad-zone", zone);
        } catch (IllegalArgumentException | ArithmeticException | TypeConversionException e) {
            throw how.misuse("once.period", period);
        }
    }

    private Key keyIn(Slots.Slot slot, Key job) {
        try {
            return slot.keyOf(job);
        } catch (IllegalArgumentException e) {
            throw how.misuse("once.long-key", String.valueOf(e.getMessage()));
        }
    }
}
