package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("LOCK-10")
@DisplayName("Project locks: listeners")
class ProjectLockListenersTest extends ProjectLocksFixture {
    @Test
    void anyNumberMayListenAndLeavingTwiceIsHarmless() {
        ProjectLocks locks = open();
        List<String> heard = new ArrayList<>();
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            subscriptions.add(locks.onEvent(event -> heard.add(event.type())));
        }
        Lease lease = take(locks);
        assertThat(heard).hasSize(10);
        subscriptions.forEach(Subscription::close);
        subscriptions.forEach(Subscription::close);
        lease.release();
        assertThat(heard).hasSize(10);
        assertThat(told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    void listenerThatThrowsHarmsNobody() {
        ProjectLocks locks = open();
        List<Throwable> thrown = List.of(new IllegalStateException("odd"), new AssertionError("odd"));
        thrown.forEach(failure -> locks.onEvent(event -> sneak(failure)));
        List<String> later = new ArrayList<>();
        locks.onEvent(event -> later.add(event.type()));
        assertThat(take(locks).release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(later).containsExactly("lock:acquired", "lock:released");
    }

    private void sneak(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    @Test
    void timesOfEventsNeverGoBackOverAllScopes() {
        ProjectLocks locks = open();
        Lease autosave = take(locks);
        time.shiftWallClock(Duration.ofHours(-1));
        Lease history = take(locks, Scope.HISTORY);
        time.advance(Duration.ofSeconds(1));
        autosave.release();
        time.shiftWallClock(Duration.ofHours(2));
        history.release();
        assertThat(events).hasSize(4);
        assertThat(events).extracting(event -> event.source().at()).isSorted();
    }

    @Test
    @Timeout(60)
    void callReturnsWhenAllListenersHaveHeardOfItInOneOrderOverAllScopes() throws Exception {
        ProjectLocks locks = ProjectLocks.on(store());
        opened.add(locks);
        List<List<LeaseEvent>> heard = List.of(
                Collections.synchronizedList(new ArrayList<>()), Collections.synchronizedList(new ArrayList<>()));
        heard.forEach(list -> locks.onEvent(list::add));
        List<CompletableFuture<Void>> users = new ArrayList<>();
        for (Scope scope : Scope.values()) {
            users.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 30; i++) {
                    Lease lease = locks.acquireAsync(scope, RetryPolicy.DEFAULT)
                            .join()
                            .orElseThrow();
                    assertHeard(heard, lease, "lock:acquired");
                    lease.release();
                    assertHeard(heard, lease, "lock:released");
                }
            }));
        }
        for (CompletableFuture<Void> user : users) {
            user.get(50, TimeUnit.SECONDS);
        }
        assertThat(heard.get(0)).hasSize(120).isEqualTo(heard.get(1));
        assertThat(heard.get(0)).extracting(event -> event.source().at()).isSorted();
    }

    private void assertHeard(List<List<LeaseEvent>> heard, Lease lease, String type) {
        for (List<LeaseEvent> list : heard) {
            assertThat(List.copyOf(list))
                    .anyMatch(event -> event.source().leaseId().equals(lease.id())
                            && event.type().equals(type));
        }
    }

    @Test
    @Timeout(30)
    void listenerMayUseTheLocks() throws Exception {
        ProjectLocks locks = ProjectLocks.on(store());
        opened.add(locks);
        CompletableFuture<Lease> taken = new CompletableFuture<>();
        locks.onEvent(event -> {
            if (event instanceof LeaseEvent.Released && !taken.isDone()) {
                taken.complete(locks.acquireAsync(Scope.HISTORY, RetryPolicy.DEFAULT)
                        .join()
                        .orElseThrow());
            }
        });
        locks.acquire().orElseThrow().release();
        assertThat(taken.get().isValid()).isTrue();
    }
}
