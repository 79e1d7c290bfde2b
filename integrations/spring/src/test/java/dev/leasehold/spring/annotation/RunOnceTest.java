package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.Fence;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("@RunOnce")
class RunOnceTest {
    record Report(String title, int pages) {}

    static class Reports {
        final AtomicInteger calls = new AtomicInteger();
        volatile Run<?> seen;
        volatile Exception failure;

        @RunOnce(key = "report/#{#id}", retain = "30d")
        public Report report(String id, Run<Report> run, Lease lease, Fence fence) throws Exception {
            calls.incrementAndGet();
            seen = run;
            assertThat(lease.fence()).isEqualTo(run.fence()).isEqualTo(fence);
            if (failure != null) {
                throw failure;
            }
            return new Report(id, 42);
        }

        @RunOnce(key = "list")
        public Map<String, List<Report>> generic() {
            calls.incrementAndGet();
            return Map.of("a", List.of(new Report("b", 1)));
        }

        @RunOnce(key = "text")
        public String text() {
            return "text " + calls.incrementAndGet();
        }

        @RunOnce(key = "bytes")
        public byte[] bytes() {
            return new byte[] {(byte) calls.incrementAndGet()};
        }

        @RunOnce(key = "nothing", onBusy = OnBusy.SKIP)
        public void nothing() {
            calls.incrementAndGet();
        }

        @RunOnce(key = "null")
        public String nullText() {
            calls.incrementAndGet();
            return null;
        }

        @RunOnce(key = "kept", onFailure = Verdict.TERMINAL)
        public String kept() throws IOException {
            calls.incrementAndGet();
            throw new IOException("no such account");
        }

        @RunOnce(key = "held", onFailure = Verdict.HOLD)
        public String held() throws IOException {
            calls.incrementAndGet();
            throw new IOException("no reply");
        }

        @RunOnce(key = "waited", waitFor = "20s")
        public String waited(CompletableFuture<String> work) {
            calls.incrementAndGet();
            return work.join();
        }
    }

    private interface Checks {
        void check(Reports reports, Leases leases) throws Exception;
    }

    private static void run(Checks checks) {
        Application.inMemory()
                .withBean(Reports.class)
                .run(context -> checks.check(context.getBean(Reports.class), context.getBean(Leases.class)));
    }

    @Test
    @DisplayName("does the work once and gives later callers the same answer")
    void once() {
        run((reports, leases) -> {
            assertThat(reports.report("a", null, null, null)).isEqualTo(new Report("a", 42));
            assertThat(Target.of(reports).seen.attempt()).isEqualTo(1);
            assertThat(reports.report("a", null, null, null)).isEqualTo(new Report("a", 42));
            assertThat(Target.of(reports).calls).hasValue(1);
            reports.report("b", null, null, null);
            assertThat(Target.of(reports).calls).hasValue(2);
        });
    }

    @Test
    @DisplayName("keeps results of every type as they were")
    void types() {
        run((reports, leases) -> {
            Map<String, List<Report>> first = reports.generic();
            assertThat(reports.generic()).isEqualTo(first);
            assertThat(reports.text()).isEqualTo(reports.text());
            assertThat(reports.bytes()).isEqualTo(reports.bytes());
            reports.nothing();
            reports.nothing();
            assertThat(reports.nullText()).isNull();
            assertThat(reports.nullText()).isNull();
            assertThat(Target.of(reports).calls).hasValue(5);
        });
    }

    @Test
    @DisplayName("throws what the work throws, and lets the next caller try again")
    void clears() {
        run((reports, leases) -> {
            Target.of(reports).failure = new IOException("disk full");
            assertThatThrownBy(() -> reports.report("a", null, null, null)).isSameAs(Target.of(reports).failure);
            Target.of(reports).failure = null;
            assertThat(reports.report("a", null, null, null).pages()).isEqualTo(42);
            assertThat(Target.of(reports).seen.attempt()).isEqualTo(2);
        });
    }

    @Test
    @DisplayName("keeps a failure that is terminal, and tells every caller of it")
    void terminal() {
        run((reports, leases) -> {
            assertThatThrownBy(reports::kept)
                    .isInstanceOf(NoAnswerException.class)
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("no such account");
            assertThatThrownBy(reports::kept)
                    .isInstanceOfSatisfying(
                            NoAnswerException.class,
                            e -> assertThat(e.outcome()).isInstanceOf(Outcome.Refused.class));
            assertThat(Target.of(reports).calls).hasValue(1);
            Target.of(reports).failure = new TerminalException(Failure.of("declined", "The card was declined."));
            assertThatThrownBy(() -> reports.report("a", null, null, null)).isInstanceOf(NoAnswerException.class);
            assertThatThrownBy(() -> reports.report("a", null, null, null)).hasMessageContaining("declined");
            assertThat(Target.of(reports).calls).hasValue(2);
        });
    }

    @Test
    @DisplayName("holds a run for a person")
    void hold() {
        run((reports, leases) -> {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(reports::held)
                        .isInstanceOfSatisfying(
                                NoAnswerException.class,
                                e -> assertThat(e.outcome()).isInstanceOf(Outcome.OnHold.class));
            }
            assertThat(Target.of(reports).calls).hasValue(1);
        });
    }

    @Test
    @DisplayName("skips, fails or waits while another caller does the work")
    void busy() {
        run((reports, leases) -> {
            Lease nothing = leases.tryAcquire("nothing").orElseThrow();
            Lease text = leases.tryAcquire("text").orElseThrow();
            reports.nothing();
            assertThatThrownBy(reports::text)
                    .isInstanceOf(NoAnswerException.class)
                    .hasMessageContaining("does the work");
            assertThat(Target.of(reports).calls).hasValue(0);
            nothing.release();
            text.release();

            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> reports.waited(work));
            while (Target.of(reports).calls.get() == 0) {
                Thread.sleep(5);
            }
            CompletableFuture<String> second = CompletableFuture.supplyAsync(() -> reports.waited(work));
            work.complete("done");
            assertThat(first.get()).isEqualTo("done");
            assertThat(second.get()).isEqualTo("done");
            assertThat(Target.of(reports).calls).hasValue(1);
        });
    }

    @Test
    @DisplayName("throws if the store does not answer, and does not do the work")
    void storeDown() {
        run((reports, leases) -> {
            leases.close();
            assertThatThrownBy(reports::text).isInstanceOf(LeaseException.class);
            assertThat(Target.of(reports).calls).hasValue(0);
        });
    }

    @Test
    @DisplayName("leaves the thread interrupted that was interrupted while it waited")
    void interrupted() {
        run((reports, leases) -> {
            try (Lease other = leases.tryAcquire("waited").orElseThrow()) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> reports.waited(null))
                        .isInstanceOf(LeaseException.class)
                        .hasCauseInstanceOf(InterruptedException.class);
                assertThat(Thread.interrupted()).isTrue();
                assertThat(other.isValid()).isTrue();
            }
        });
    }
}
