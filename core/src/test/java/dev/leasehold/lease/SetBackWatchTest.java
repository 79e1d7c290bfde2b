package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The watch on holders from before the store's clock was set back")
class SetBackWatchTest {
    private static final int MANY = 20_000;

    private final SetBackWatch watch = new SetBackWatch(Settings.DEFAULTS);

    @Test
    @DisplayName("C03 is kept on a limited number of keys, the latest ones")
    void isBounded() {
        Duration ttl = Duration.ofSeconds(30);
        AcquireResult.Held held =
                new AcquireResult.Held(null, Fence.of(1), Duration.ofHours(1), ttl, Duration.ZERO, false);
        for (int i = 0; i < MANY; i++) {
            watch.findsGone(Key.of("key " + i), held, Duration.ZERO, at(ttl.negated()), at(ttl.negated()));
        }

        assertThat(watch.size()).isPositive().isLessThanOrEqualTo(10_000);

        AcquireResult.Held later = new AcquireResult.Held(
                null, Fence.of(1), held.remaining().minus(ttl.plusSeconds(1)), ttl, Duration.ZERO, false);
        Moment now = at(Duration.ofSeconds(1));
        assertThat(watch.findsGone(Key.of("key " + (MANY - 1)), later, Duration.ZERO, now, now))
                .isTrue();
    }

    private static Moment at(Duration sinceAnHour) {
        long nanos = Duration.ofHours(1).plus(sinceAnHour).toNanos();
        return new Moment(nanos, nanos / 1_000);
    }
}
