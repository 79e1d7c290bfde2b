package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Cooldown;
import dev.leasehold.once.Outcome;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A cooldown")
class CooldownTest {
    private static final Key KEY = Key.of("sync", "食事");
    private static final Duration LENGTH = Duration.ofSeconds(30);

    private final ManualTime time = new ManualTime();
    private final LeaseStore store = new MemoryLeaseStore(time.storeClock());
    private int runs;

    /** As another process, or the same one after a restart. */
    private Cooldown cooldown() {
        return cooldown(store);
    }

    private Cooldown cooldown(LeaseStore view) {
        Leases leases = Leases.builder(view)
                .clockwork(time)
                .owner(Owner.of("tab"))
                .withoutLog()
                .build();
        return Cooldown.on(leases, KEY, LENGTH);
    }

    private Outcome<Integer> press(Cooldown button) throws Exception {
        return button.run(lease -> ++runs);
    }

    private Outcome<Integer> pressAndTake(Cooldown button, Duration work) throws Exception {
        return button.run(lease -> {
            time.advance(work);
            return ++runs;
        });
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("keeps the key closed after the work, tells the time left, and then is over")
    void closesAfterTheEnd() throws Exception {
        assertThat(pressAndTake(cooldown(), Duration.ofSeconds(100))).isInstanceOf(Outcome.Ran.class);
        assertThat(press(cooldown())).isEqualTo(new Outcome.Cooling<>(LENGTH));

        time.advance(Duration.ofSeconds(29));
        assertThat(press(cooldown())).isEqualTo(new Outcome.Cooling<>(Duration.ofSeconds(1)));

        time.advance(Duration.ofSeconds(1));
        assertThat(press(cooldown())).isInstanceOf(Outcome.Ran.class);
        assertThat(runs).isEqualTo(2);
    }

    @Test
    @DisplayName("counts from the start if so configured, and is over if the work took longer")
    void countsFromTheStart() throws Exception {
        pressAndTake(cooldown().fromStart(), Duration.ofSeconds(20));
        assertThat(press(cooldown())).isEqualTo(new Outcome.Cooling<>(Duration.ofSeconds(10)));

        time.advance(Duration.ofSeconds(10));
        assertThat(pressAndTake(cooldown().fromStart(), Duration.ofSeconds(31))).isInstanceOf(Outcome.Ran.class);
        assertThat(press(cooldown())).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("is ignored by those who say so, who respect the lease and cool the key themselves")
    void isIgnored() throws Exception {
        press(cooldown());
        time.advance(Duration.ofSeconds(10));

        assertThat(press(cooldown().ignored())).isInstanceOf(Outcome.Ran.class);
        assertThat(press(cooldown())).isEqualTo(new Outcome.Cooling<>(LENGTH));
        time.advance(LENGTH);

        cooldown().run(lease -> {
            assertThat(press(cooldown().ignored())).isInstanceOf(Outcome.InProgress.class);
            return 0;
        });
        assertThat(runs).isEqualTo(2);
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("blocks everybody else while the work runs, and says who is at it and since when")
    void blocksWhileRunning() throws Exception {
        cooldown().run(lease -> {
            time.advance(Duration.ofSeconds(7));
            assertThat(press(cooldown())).isInstanceOfSatisfying(Outcome.InProgress.class, running -> {
                assertThat(running.owner()).isEqualTo(Owner.of("tab"));
                assertThat(running.heldFor()).isEqualTo(Duration.ofSeconds(7));
            });
            return 0;
        });
        assertThat(runs).isZero();
    }

    @Test
    @DisplayName("slides: two runs are never closer than it is long, wherever they fall")
    void slides() throws Exception {
        Duration since = Duration.ofDays(1);
        for (int second = 0; second < 200; second++) {
            if (press(cooldown()) instanceof Outcome.Ran) {
                assertThat(since).isGreaterThanOrEqualTo(LENGTH);
                since = Duration.ZERO;
            }
            time.advance(Duration.ofSeconds(1));
            since = since.plusSeconds(1);
        }
        assertThat(runs).isEqualTo(7);
    }

    @Test
    @DisplayName("begins also if the work fails, whose own exception is thrown")
    void beginsAfterFailure() throws Exception {
        assertThatThrownBy(() -> cooldown().run(lease -> {
                    throw new java.io.IOException("sheet gone");
                }))
                .isInstanceOf(java.io.IOException.class);

        assertThat(press(cooldown())).isEqualTo(new Outcome.Cooling<>(LENGTH));
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("A runner that died leaves nothing set for ever: its lease ends by itself")
    void deadRunner() throws Exception {
        FaultyStore dying = FaultyStore.inManualTime(store);
        cooldown(dying).run(lease -> {
            dying.cutOff();
            return 0;
        });
        assertThat(press(cooldown())).isInstanceOf(Outcome.InProgress.class);

        time.advance(LeaseOptions.DEFAULT_TTL);

        assertThat(press(cooldown())).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName("Work whose cooldown is not known to have begun is told as unrecorded")
    void unrecorded() throws Exception {
        FaultyStore dying = FaultyStore.inManualTime(store);

        assertThat(cooldown(dying).run(lease -> {
                    dying.cutOff();
                    return 5;
                }))
                .isInstanceOfSatisfying(Outcome.Unrecorded.class, outcome -> {
                    assertThat(outcome.value()).isEqualTo(5);
                    assertThat(outcome.isLeaseLost()).isFalse();
                });
    }

    @Test
    @Timeout(60)
    @DisplayName("refuses callers that are willing to wait for a holder: at once, and when the holder is done")
    void isWaitedForByNobody() throws Exception {
        LeaseOptions willing = LeaseOptions.waitFor(LENGTH.multipliedBy(2));
        CompletableFuture<Outcome<Integer>> waiting = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                waiting.complete(press(cooldown().with(willing)));
            } catch (Exception e) {
                waiting.completeExceptionally(e);
            }
        });
        cooldown().run(lease -> {
            waiter.start();
            while (store.find(KEY).orElseThrow().record().line().isEmpty()) {
                Thread.onSpinWait();
            }
            return 0;
        });
        waiter.join(10_000);

        assertThat(waiting).isCompletedWithValue(new Outcome.Cooling<>(LENGTH));
        assertThat(press(cooldown().with(LeaseOptions.retrying(RetryPolicy.DEFAULT))))
                .isEqualTo(new Outcome.Cooling<>(LENGTH));
        assertThat(runs).isZero();
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("shows its state without changing it: open, at work, cooling")
    void peeks() throws Exception {
        assertThat(cooldown().peek()).isEmpty();
        cooldown().run(lease -> {
            assertThat(cooldown().peek()).containsInstanceOf(Outcome.InProgress.class);
            return 0;
        });
        time.advance(Duration.ofSeconds(10));
        Optional<Outcome<Void>> cooling = Optional.of(new Outcome.Cooling<>(Duration.ofSeconds(20)));
        assertThat(cooldown().peek()).isEqualTo(cooling);
        assertThat(cooldown().peek()).isEqualTo(cooling);
        assertThat(cooldown().ignored().peek()).isEmpty();
        time.advance(Duration.ofSeconds(20));
        assertThat(cooldown().peek()).isEmpty();
    }

    @Test
    @DisplayName("is positive")
    void isPositive() {
        Leases leases = Leases.builder(store).clockwork(time).build();
        assertThatThrownBy(() -> Cooldown.on(leases, KEY, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Cooldown.on(leases, KEY, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
