package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.State;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

@Timeout(60)
@DisplayName("@Locked")
class LockedTest {
    static class Sheets {
        final AtomicInteger calls = new AtomicInteger();
        volatile Lease seen;
        volatile Fence fence;
        volatile Runnable work = () -> {};

        @Locked(key = "sync/#{#sheet}")
        public String sync(String sheet, Lease lease, Fence number) {
            calls.incrementAndGet();
            seen = lease;
            fence = number;
            work.run();
            return sheet;
        }

        @Locked(key = "sync/#{#sheet}", onBusy = OnBusy.FAIL)
        public int mustSync(String sheet) {
            return calls.incrementAndGet();
        }

        @Locked(key = "sync/#{#sheet}", waitFor = "${patience}")
        public Optional<String> waitAndSync(String sheet) {
            calls.incrementAndGet();
            return Optional.of(sheet);
        }

        @Locked(key = "fails")
        public void fails() throws IOException {
            throw new IOException("disk full");
        }

        @Locked(key = "later", ttl = "5s")
        public CompletableFuture<String> later(CompletableFuture<String> work, Lease lease) {
            calls.incrementAndGet();
            seen = lease;
            return work;
        }

        @Locked(key = "interrupted", interruptOnLoss = true)
        public void interrupted(Lease lease) throws InterruptedException {
            seen = lease;
            work.run();
            Thread.sleep(30_000);
        }
    }

    private static void run(Checks checks) {
        Application.inMemory()
                .withPropertyValues("patience=10s")
                .withBean(Sheets.class)
                .run(context -> checks.check(
                        context.getBean(Sheets.class),
                        context.getBean(Leases.class),
                        context.getBean(LeaseStore.class)));
    }

    private interface Checks {
        void check(Sheets sheets, Leases leases, LeaseStore store) throws Exception;
    }

    private static boolean isHeld(LeaseStore store, String key) {
        return store.find(Key.of(key))
                .map(found -> found.record().state() == State.HELD)
                .orElse(false);
    }

    @Test
    @DisplayName("holds the lease while the method runs, hands it in, and gives it back")
    void holds() {
        run((sheets, leases, store) -> {
            Target.of(sheets).work = () -> {
                assertThat(isHeld(store, "sync/a%2Fb")).isTrue();
                assertThat(Target.of(sheets).seen.isValid()).isTrue();
                assertThat(Target.of(sheets).fence)
                        .isEqualTo(Target.of(sheets).seen.fence());
                assertThat(sheets.sync("a/b", null, null)).isNull(); // Busy with itself.
                assertThat(sheets.sync("other", null, null)).isEqualTo("other");
            };
            Runnable work = Target.of(sheets).work;
            Target.of(sheets).work = () -> {
                Target.of(sheets).work = () -> {};
                work.run();
            };
            assertThat(sheets.sync("a/b", null, null)).isEqualTo("a/b");
            assertThat(Target.of(sheets).calls).hasValue(2);
            assertThat(isHeld(store, "sync/a%2Fb")).isFalse();
        });
    }

    @Test
    @DisplayName("skips, fails or waits if another caller has the key")
    void busy() {
        run((sheets, leases, store) -> {
            Lease other = leases.tryAcquire("sync/x").orElseThrow();
            assertThat(sheets.sync("x", null, null)).isNull();
            assertThatThrownBy(() -> sheets.mustSync("x"))
                    .isInstanceOf(LeaseException.class)
                    .hasMessageContaining("sync/x");
            assertThat(Target.of(sheets).calls).hasValue(0);

            CompletableFuture<Optional<String>> waiting = CompletableFuture.supplyAsync(() -> sheets.waitAndSync("x"));
            while (store.find(Key.of("sync/x")).orElseThrow().record().line().isEmpty()) {
                Thread.sleep(5);
            }
            other.release();
            assertThat(waiting.get()).contains("x");
            assertThat(sheets.mustSync("x")).isEqualTo(2);
        });
    }

    @Test
    @DisplayName("returns an empty Optional if it skips after waiting")
    void patienceEnds() {
        Application.inMemory()
                .withPropertyValues("patience=20ms")
                .withBean(Sheets.class)
                .run(context -> {
                    try (Lease other =
                            context.getBean(Leases.class).tryAcquire("sync/x").orElseThrow()) {
                        assertThat(context.getBean(Sheets.class).waitAndSync("x"))
                                .isEmpty();
                        assertThat(other.isValid()).isTrue();
                    }
                });
    }

    @Test
    @DisplayName("throws what the method throws, as it is, and gives the lease back")
    void failure() {
        run((sheets, leases, store) -> {
            assertThatThrownBy(sheets::fails).isInstanceOf(IOException.class).hasMessage("disk full");
            assertThat(isHeld(store, "fails")).isFalse();
        });
    }

    @Test
    @DisplayName("ends in LeaseLostException if the lease was lost meanwhile")
    void loss() {
        run((sheets, leases, store) -> {
            Target.of(sheets).work = () -> {
                store.release(ReleaseRequest.of(Target.of(sheets).seen.ref()));
                assertThatThrownBy(() -> Target.of(sheets).seen.renew()).isInstanceOf(LeaseLostException.class);
                throw new IllegalStateException("noticed");
            };
            assertThatThrownBy(() -> sheets.sync("x", null, null)).hasMessage("noticed");
            CountDownLatch lost = new CountDownLatch(1);
            Target.of(sheets).work = () -> {
                Target.of(sheets).seen.onLost(why -> lost.countDown());
                store.release(ReleaseRequest.of(Target.of(sheets).seen.ref()));
                var unused = Target.of(sheets).seen.renewAsync();
                assertThat(await(lost)).isTrue();
            };
            assertThatThrownBy(() -> sheets.sync("x", null, null)).isInstanceOf(LeaseLostException.class);
        });
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("interrupts the method when the lease is lost, if it is told to")
    void interrupt() {
        run((sheets, leases, store) -> {
            Target.of(sheets).work = () -> {
                store.release(ReleaseRequest.of(Target.of(sheets).seen.ref()));
                var unused = Target.of(sheets).seen.renewAsync();
            };
            assertThatThrownBy(() -> sheets.interrupted(null)).isInstanceOf(InterruptedException.class);
        });
    }

    @Test
    @DisplayName("keeps the lease until a future completes, and completes the same way")
    void future() {
        run((sheets, leases, store) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = sheets.later(work, null);
            assertThat(isHeld(store, "later")).isTrue();
            assertThat(sheets.later(work, null).join()).isNull(); // Skipped.
            assertThat(Target.of(sheets).calls).hasValue(1);
            work.complete("done");
            assertThat(result.get()).isEqualTo("done");
            assertThat(isHeld(store, "later")).isFalse();

            CompletableFuture<String> failing = new CompletableFuture<>();
            CompletableFuture<String> failed = sheets.later(failing, null);
            failing.completeExceptionally(new IOException("disk full"));
            assertThatThrownBy(failed::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("disk full");
            assertThat(isHeld(store, "later")).isFalse();

            assertThatThrownBy(() -> sheets.later(null, null).get()).hasRootCauseInstanceOf(NullPointerException.class);
            assertThat(isHeld(store, "later")).isFalse();
        });
    }

    @Test
    @DisplayName("completes a future with the loss of its lease")
    void lostFuture() {
        run((sheets, leases, store) -> {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = sheets.later(work, null);
            CountDownLatch lost = new CountDownLatch(1);
            Target.of(sheets).seen.onLost(why -> lost.countDown());
            store.release(ReleaseRequest.of(Target.of(sheets).seen.ref()));
            var unused = Target.of(sheets).seen.renewAsync();
            assertThat(await(lost)).isTrue();
            work.complete("done");
            assertThatThrownBy(result::get).hasCauseInstanceOf(LeaseLostException.class);
        });
    }

    @Test
    @DisplayName("throws if the store does not answer, and does not call the method")
    void storeDown() {
        run((sheets, leases, store) -> {
            leases.close();
            assertThatThrownBy(() -> sheets.sync("x", null, null)).isInstanceOf(LeaseException.class);
            assertThat(Target.of(sheets).calls).hasValue(0);
        });
    }

    @Test
    @DisplayName("leaves the thread interrupted that was interrupted while it waited")
    void interruptedWaiting() {
        run((sheets, leases, store) -> {
            try (Lease other = leases.tryAcquire("sync/x").orElseThrow()) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> sheets.waitAndSync("x"))
                        .isInstanceOf(LeaseException.class)
                        .hasCauseInstanceOf(InterruptedException.class);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(other.isValid()).isTrue();
            }
        });
    }

    @Test
    @DisplayName("takes the TTL of the property leasehold.ttl unless it has one of its own")
    void ttl() {
        Application.inMemory()
                .withPropertyValues("leasehold.ttl=90s", "patience=1s")
                .withBean(Sheets.class)
                .run(context -> {
                    Sheets sheets = context.getBean(Sheets.class);
                    sheets.sync("x", null, null);
                    Target.of(sheets).work =
                            () -> assertThat(Target.of(sheets).seen.remaining()).isGreaterThan(Duration.ofSeconds(80));
                    assertThat(sheets.sync("x", null, null)).isEqualTo("x");
                    CompletableFuture<String> work = new CompletableFuture<>();
                    CompletableFuture<String> result = sheets.later(work, null);
                    assertThat(Target.of(sheets).seen.remaining()).isLessThan(Duration.ofSeconds(6));
                    work.complete("");
                    assertThat(result.get()).isEmpty();
                });
    }

    static class Ticks {
        final AtomicInteger done = new AtomicInteger();

        @Scheduled(fixedRate = 10)
        @Locked(key = "tick")
        public void tick() {
            done.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {
        @Bean
        Ticks ticks() {
            return new Ticks();
        }
    }

    @Test
    @DisplayName("works on scheduled methods")
    void scheduled() {
        MemoryLeaseStore store = new MemoryLeaseStore();
        try (Leases others = Leases.on(store)) {
            Lease other = others.tryAcquire("tick").orElseThrow();
            Application.plain()
                    .withBean(LeaseStore.class, () -> store)
                    .withUserConfiguration(Scheduling.class)
                    .run(context -> {
                        Ticks ticks = context.getBean(Ticks.class);
                        Thread.sleep(100);
                        assertThat(Target.of(ticks).done).hasValue(0);
                        other.release();
                        while (Target.of(ticks).done.get() < 3) {
                            Thread.sleep(5);
                        }
                    });
        }
    }
}
