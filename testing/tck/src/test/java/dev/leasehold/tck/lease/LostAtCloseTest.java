package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Closing a lease that was lost")
class LostAtCloseTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");
    private final List<Lease> used = new ArrayList<>();

    @AfterEach
    void close() {
        bench.close();
    }

    private void lose() {
        ann.store.cutOff();
        bench.advance(TTL);
        ann.store.heal();
    }

    @Test
    @DisplayName("throws although a renewal whose future nobody reads has found the loss")
    void renewalThatNobodyReads() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        bob.acquire(KEY).release();
        assertThat(lease.renewAsync()).isCompletedExceptionally();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("throws at the end of a try block, and says which key, why, and with which fence")
    void tryBlock() {
        assertThatThrownBy(() -> {
                    try (Lease lease = ann.acquire(KEY)) {
                        used.add(lease);
                        lose();
                    }
                })
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("The lease on report was lost before its work ended")
                .hasMessageContaining("fence of this lease was " + used.get(0).fence());
    }

    @Test
    @DisplayName("throws also if only the store knows of the loss")
    void onlyTheStoreKnows() {
        assertThatThrownBy(() -> {
                    try (Lease lease = ann.acquire(KEY)) {
                        bench.memory.release(ReleaseRequest.of(lease.ref()));
                        bob.acquire(KEY).release();
                        bob.acquire(KEY);
                    }
                })
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("another holder had it");
    }

    @Test
    @DisplayName("does not hide what the body threw")
    void bodyThrows() {
        IllegalStateException failure = new IllegalStateException("no paper");
        assertThatThrownBy(() -> {
                    try (Lease lease = ann.acquire(KEY)) {
                        used.add(lease);
                        lose();
                        throw failure;
                    }
                })
                .isSameAs(failure);
        assertThat(failure.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LeaseLostException.class);
    }

    @Test
    @DisplayName("is quiet if ensure() has thrown before")
    void ensureHasThrown() {
        try (Lease lease = ann.acquire(KEY)) {
            lose();
            assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);
        }
        assertThat(ann.told()).contains("lock:lost");
    }

    @Test
    @DisplayName("is quiet if the body ended with release(), whose outcome tells")
    void releaseTells() {
        try (Lease lease = ann.acquire(KEY)) {
            lose();
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        }
        assertThat(ann.told()).contains("lock:lost");
    }

    @Test
    @DisplayName("throws once")
    void once() {
        Lease lease = ann.acquire(KEY);
        lose();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        lease.close();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @DisplayName("throws from with(...) in place of the value, and from ifAcquired(...)")
    void scopedForms() {
        assertThatThrownBy(() -> ann.leases.with(KEY, LeaseOptions.noWait(), lease -> {
                    lose();
                    return "done";
                }))
                .isInstanceOf(LeaseLostException.class);
        bench.advance(TTL);
        assertThatThrownBy(() -> ann.tryAcquire(KEY).ifAcquired(lease -> lose()))
                .isInstanceOf(LeaseLostException.class);
    }

    /** The deadline passes while the work is ending, before the keeper looks, and the store is down by then. */
    private void loseUnnoticed() {
        ann.store.cutOff();
        bench.time.pause(TTL);
    }

    @Test
    @DisplayName("throws from with(...) and ifAcquired(...) if the time ran out at the very end and the release fails")
    void lossFoundByAReleaseThatFails() {
        assertThatThrownBy(() -> ann.leases.with(KEY, LeaseOptions.noWait(), lease -> {
                    used.add(lease);
                    loseUnnoticed();
                    assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                    return "done";
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("its time ran out before it was released");
        assertThat(ann.told(used.get(0))).endsWith("lock:lost", "lock:cleanup-warning");
        ann.store.heal();
        bench.advance(TTL);
        assertThatThrownBy(() -> ann.tryAcquire(KEY).ifAcquired(lease -> loseUnnoticed()))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("throws from withAsync(...) if the time ran out at the very end and the release fails")
    void lossFoundByAnAsynchronousReleaseThatFails() {
        CompletableFuture<String> done = ann.leases.withAsync(KEY, LeaseOptions.noWait(), lease -> {
            loseUnnoticed();
            return CompletableFuture.completedFuture("done");
        });
        assertThatThrownBy(done::join).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("throws at the end of a try block if the time ran out at the very end and the release fails")
    void lossFoundAtTheEndOfATryBlock() {
        assertThatThrownBy(() -> {
                    try (Lease lease = ann.acquire(KEY)) {
                        used.add(lease);
                        loseUnnoticed();
                    }
                })
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("is quiet if only the release fails: the lease was not lost")
    void failedReleaseIsNoLoss() throws InterruptedException {
        String value = ann.leases.with(KEY, LeaseOptions.noWait(), lease -> {
            ann.store.cutOff();
            return "done";
        });
        assertThat(value).isEqualTo("done");
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("throws, once, if closing the client gave the lease back under the block, and onLost is not called")
    void clientClosed() {
        List<String> reasons = new ArrayList<>();
        assertThatThrownBy(() -> {
                    try (Lease lease = ann.acquire(KEY)) {
                        lease.onLost(reasons::add);
                        used.add(lease);
                        ann.leases.close();
                        bob.acquire(KEY);
                    }
                })
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("the client was closed");
        used.get(0).close();
        assertThat(reasons).isEmpty();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("is quiet after the client was closed if release() told so, or the holder had released it before")
    void clientClosedAndTold() {
        try (Lease lease = ann.acquire(KEY)) {
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
            used.add(ann.acquire(KEY));
            ann.leases.close();
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertThat(used.get(0).release()).isEqualTo(ReleaseOutcome.LOST);
        used.get(0).close();
        assertThat(bench.isHeld(KEY)).isFalse();
    }
}
