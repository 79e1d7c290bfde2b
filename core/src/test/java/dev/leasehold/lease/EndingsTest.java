package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Leases that cannot be given back")
class EndingsTest {
    private static final int MANY = 20_000;

    private final LeaseEngine engine = new LeaseEngine(Settings.DEFAULTS, new SplittableRandom(1), () -> "test", false);

    /** Takes a step while the store is down: whatever it is asked, it fails. */
    private void step(LeaseEngine.Input input, Moment now) {
        Deque<Ask<?>> asks = new ArrayDeque<>(engine.step(input, now).asks());
        for (Ask<?> ask = asks.poll(); ask != null; ask = asks.poll()) {
            Ask<?> lost = ask;
            asks.addAll(engine.step((same, moment) -> lost.failed(new StoreUnavailableException("down"), moment), now)
                    .asks());
        }
    }

    private static Moment at(Duration time) {
        return new Moment(time.toNanos(), time.toNanos() / 1_000);
    }

    @Test
    @DisplayName("are remembered up to a limit, and forgotten when they have ended by themselves")
    void areBounded() {
        Moment start = at(Duration.ZERO);
        for (int i = 0; i < MANY; i++) {
            ReleaseRequest request = ReleaseRequest.withdrawing(Key.of("key " + i), new Nonce(1, i + 1));
            step((same, now) -> same.endings.quietly(request, now), start);
        }
        assertThat(engine.endings.unfinished()).isPositive().isLessThanOrEqualTo(10_000);

        for (int second = 1; second <= 601; second++) {
            step((same, now) -> {}, at(Duration.ofSeconds(second)));
        }

        assertThat(engine.endings.unfinished()).isZero();
        assertThat(engine.endings.areUnderWay()).isFalse();
    }

    @Test
    @DisplayName("do not pile up for one key: only the latest one is tried again")
    void areBoundedForOneKey() {
        step((same, now) -> {}, at(Duration.ZERO));
        int before = engine.agenda.size();
        for (int i = 0; i < MANY; i++) {
            ReleaseRequest request = ReleaseRequest.withdrawing(Key.of("key"), new Nonce(1, i + 1));
            step((same, now) -> same.endings.quietly(request, now), at(Duration.ZERO));
        }
        assertThat(engine.agenda.size()).isEqualTo(before + 1);
    }
}
