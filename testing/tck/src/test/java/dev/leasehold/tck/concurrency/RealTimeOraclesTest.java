package dev.leasehold.tck.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.concurrency.Recorded.Look;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The order in real time")
class RealTimeOraclesTest {
    private static final Key KEY = Key.of("key");
    private static final Nonce A = new Nonce(1, 1);
    private static final Nonce B = new Nonce(2, 2);
    private static final Duration TTL = Duration.ofMillis(50);

    private static Recorded call(long from, long to, Object request, Object answer) {
        return RandomCalls.recorded("test", request, answer, from * 1_000_000, to * 1_000_000);
    }

    private static Recorded grant(long from, long to, Nonce nonce, long fence) {
        AcquireRequest request = AcquireRequest.of(KEY, nonce, Owner.of("owner"), TTL);
        return call(from, to, request, new Granted(Fence.of(fence), TTL, 1, null, null));
    }

    private static Recorded release(long from, long to, Nonce nonce, long fence) {
        LeaseRef lease = new LeaseRef(KEY, nonce, Fence.of(fence));
        return call(from, to, ReleaseRequest.of(lease), ReleaseResult.RELEASED);
    }

    private static Optional<String> violation(Recorded... calls) {
        return new RealTimeOracles(List.of(calls), 1).violation();
    }

    @Test
    @DisplayName("lets one lease follow another that expired or was released")
    void goodHistories() {
        assertThat(violation(grant(0, 1, A, 5), grant(52, 53, B, 6))).isEmpty();
        assertThat(violation(grant(0, 1, A, 5), release(2, 4, A, 5), grant(3, 5, B, 6)))
                .isEmpty();
        assertThat(violation(grant(0, 1, A, 5), grant(2, 3, A, 5)))
                .as("the same call")
                .isEmpty();
    }

    @Test
    @DisplayName("does not let a fence go back")
    void fences() {
        assertThat(violation(grant(0, 1, A, 5), release(2, 3, A, 5), grant(4, 5, B, 4)))
                .hasValueSatisfying(what -> assertThat(what).contains("A fence goes back"));
        assertThat(violation(grant(0, 3, A, 5), release(1, 3, A, 5), grant(2, 5, B, 4)))
                .as("at the same time")
                .isEmpty();
    }

    @Test
    @DisplayName("does not let two hold the key at once")
    void twoHolders() {
        assertThat(violation(grant(0, 1, A, 5), grant(30, 31, B, 6)))
                .hasValueSatisfying(what -> assertThat(what).contains("Two hold the key at once"));
    }

    @Test
    @DisplayName("lets another hold the key once a shorter TTL of the holder's is over, and not before")
    void shorterTtl() {
        LeaseRef lease = new LeaseRef(KEY, A, Fence.of(5));
        Duration shorter = Duration.ofMillis(20);
        Recorded renewed = call(2, 3, new Recorded.NewTtl(lease, shorter), Optional.of(new Renewal(lease, shorter)));
        assertThat(violation(grant(0, 1, A, 5), renewed, grant(30, 31, B, 6))).isEmpty();
        assertThat(violation(grant(0, 1, A, 5), renewed, grant(15, 16, B, 6)))
                .hasValueSatisfying(what -> assertThat(what).contains("Two hold the key at once"));
    }

    @Test
    @DisplayName("does not let a released lease live")
    void released() {
        assertThat(violation(grant(0, 1, A, 5), release(2, 3, A, 5), grant(4, 5, A, 5)))
                .hasValueSatisfying(what -> assertThat(what).contains("lives after its release"));
        assertThat(violation(grant(0, 1, A, 5), release(2, 3, A, 5), grant(4, 5, A, 6)))
                .as("a new lease of the same call, after others were released")
                .isEmpty();
    }

    @Test
    @DisplayName("does not let a caller hold the key that withdrew and did not ask again")
    void withdrawn() {
        Recorded withdrawn = call(2, 3, ReleaseRequest.withdrawing(KEY, B), ReleaseResult.NOT_HELD);
        LeaseRecord record = new LeaseRecord(
                KEY, Fence.of(6), State.HELD, new Tenure(B, null, 50_000, 0), A, 0, 0, Progress.NONE, List.of());
        Recorded look = call(4, 5, new Look(KEY, false), Optional.of(new LeaseSnapshot(record, 1)));

        assertThat(violation(withdrawn, look))
                .hasValueSatisfying(what -> assertThat(what).contains("withdrew"));
        assertThat(violation(withdrawn, grant(3, 5, B, 6), look)).isEmpty();
    }
}
