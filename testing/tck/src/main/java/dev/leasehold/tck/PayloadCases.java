package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Checkpoints, forgetting, and that bytes come back as they went in. */
abstract class PayloadCases extends RunCases {

    @Test
    @DisplayName("O02 A checkpoint is kept for whoever goes on, and leaves the lease as it is")
    final void checkpointIsKept() throws Exception {
        LeaseRef lease = take(ask(key(), brief()));
        LeaseRecord before = record(lease.key());
        Payload half = Payload.of("half");

        assertThat(settle(lease, Settlement.checkpoint(half))).isEqualTo(SettleResult.SETTLED);

        LeaseRecord after = record(lease.key());
        assertThat(after.state()).isEqualTo(State.HELD);
        assertThat(after.expiryMicros()).isEqualTo(before.expiryMicros());
        assertThat(after.progress().payload()).isEqualTo(half);
        elapse(brief());
        assertThat(granted(store.acquire(ask(lease.key()))).checkpoint()).isEqualTo(half);
    }

    @Test
    @DisplayName("O11 A failure that may be tried again keeps the checkpoint and the request")
    final void retryKeepsTheCheckpoint() {
        AcquireRequest request = ask(key()).withFingerprint("request 1");
        LeaseRef lease = take(request);
        settle(lease, Settlement.checkpoint(Payload.of("half")));

        store.release(ReleaseRequest.of(lease).withEnding(Ending.KEEP_ATTEMPTS));

        assertThat(record(lease.key()).progress().fingerprint()).isEqualTo("request 1");
        Granted next = granted(store.acquire(ask(lease.key())));
        assertThat(next.checkpoint()).isEqualTo(Payload.of("half"));
        assertThat(next.attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "O02 A late duplicate of an older checkpoint leaves the newer one; a duplicate of the newest is harmless")
    final void lateDuplicateLeavesTheNewerCheckpoint() throws Exception {
        AcquireRequest request = ask(key());
        LeaseRef lease = take(request);
        checkpoint(store, lease, "older", 1);
        checkpoint(store, lease, "newer", 2);
        LeaseRecord before = record(lease.key());

        checkpoint(another(), lease, "older", 1);
        checkpoint(another(), lease, "newer", 2);

        assertThat(record(lease.key())).isEqualTo(before);
        assertThat(before.progress().payload()).isEqualTo(Payload.of("newer"));
        // Neither a renewal nor the holder's own call asked again begins the numbers anew.
        assertThat(isRenewed(lease)).isTrue();
        assertThat(granted(store.acquire(request)).checkpoint()).isEqualTo(Payload.of("newer"));
        checkpoint(store, lease, "older", 1);
        assertThat(granted(store.acquire(request)).checkpoint()).isEqualTo(Payload.of("newer"));
        checkpoint(store, lease, "newest", Integer.MAX_VALUE);
        assertThat(granted(store.acquire(request)).checkpoint()).isEqualTo(Payload.of("newest"));
    }

    @Test
    @DisplayName("O02 A late duplicate of a checkpoint is refused once the run is settled or given back")
    final void lateCheckpointIsRefusedAfterTheEnd() {
        for (Settlement end : List.of(Settlement.done(RESULT, LONG), Settlement.onHold(RESULT))) {
            LeaseRef lease = take(key());
            checkpoint(store, lease, "half", 1);
            settle(lease, end);
            LeaseRecord settled = record(lease.key());

            assertThat(store.settle(numbered(lease, "half", 1))).isEqualTo(SettleResult.SUPERSEDED);
            assertThat(store.settle(numbered(lease, "more", 2))).isEqualTo(SettleResult.SUPERSEDED);

            assertThat(record(lease.key())).isEqualTo(settled);
        }
        LeaseRef released = take(key());
        checkpoint(store, released, "half", 1);
        store.release(ReleaseRequest.of(released).withEnding(Ending.KEEP_ATTEMPTS));

        assertThat(store.settle(numbered(released, "more", 2))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(record(released.key()).progress().payload()).isEqualTo(Payload.of("half"));
    }

    @Test
    @DisplayName("O11 The next holder numbers its checkpoints anew: after a takeover, a retry, and in line")
    final void nextHolderNumbersAnew() throws Exception {
        LeaseRef dead = take(ask(key(), brief()));
        checkpoint(store, dead, "first", 9);
        elapse(brief());
        LeaseRef second = take(dead.key());
        checkpoint(store, second, "second", 1);
        assertThat(record(dead.key()).progress().payload()).isEqualTo(Payload.of("second"));

        checkpoint(store, second, "second", 9);
        store.release(ReleaseRequest.of(second).withEnding(Ending.KEEP_ATTEMPTS));
        LeaseRef third = take(dead.key());
        checkpoint(store, third, "third", 1);
        assertThat(record(dead.key()).progress().payload()).isEqualTo(Payload.of("third"));

        checkpoint(store, third, "third", 9);
        AcquireRequest waiting = ask(dead.key()).inLineFor(LONG);
        held(store.acquire(waiting));
        store.release(ReleaseRequest.of(third).withEnding(Ending.KEEP_ATTEMPTS));
        LeaseRef fourth = take(waiting);
        checkpoint(store, fourth, "fourth", 1);
        assertThat(record(dead.key()).progress().payload()).isEqualTo(Payload.of("fourth"));

        checkpoint(store, fourth, "fourth", 9);
        settle(fourth, Settlement.done(RESULT, brief()));
        elapse(brief());
        checkpoint(store, take(dead.key()), "fifth", 1);
        assertThat(record(dead.key()).progress().payload()).isEqualTo(Payload.of("fifth"));
    }

    private static void checkpoint(LeaseStore on, LeaseRef lease, String text, int number) {
        assertThat(on.settle(numbered(lease, text, number))).isEqualTo(SettleResult.SETTLED);
    }

    private static SettleRequest numbered(LeaseRef lease, String text, int number) {
        return SettleRequest.checkpoint(lease, Settlement.checkpoint(Payload.of(text)), number);
    }

    @Test
    @DisplayName("O13 An answer is forgotten on request only: a plain release leaves it")
    final void answerIsForgottenOnRequest() {
        LeaseRef lease = settled(key());

        assertThat(release(lease)).isEqualTo(ReleaseResult.NOT_HELD);
        settled(store.acquire(ask(lease.key())));
        ReleaseRequest forget = ReleaseRequest.of(lease).withEnding(Ending.FORGET);
        assertThat(store.release(forget)).isEqualTo(ReleaseResult.RELEASED);

        Granted again = granted(store.acquire(ask(lease.key())));
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("O09 An answer for what the store never heard of is refused, and makes no record")
    final void unknownRunIsNotSettled() {
        LeaseRef unknown = new LeaseRef(key(), nonce(), Fence.of(1));

        assertThat(settle(unknown, Settlement.done(RESULT, LONG))).isEqualTo(SettleResult.SUPERSEDED);

        assertThat(store.find(unknown.key())).isEmpty();
    }

    @Test
    @DisplayName("O02 Answers come back as they went in: no bytes, one, every value there is, the largest")
    final void answersComeBackUnchanged() {
        for (Payload payload : payloads()) {
            Key key = key();
            settle(take(key), Settlement.done(payload, LONG));

            assertThat(settled(store.acquire(ask(key))).settlement().payload()).isEqualTo(payload);
            assertThat(record(key).progress().payload()).isEqualTo(payload);
        }
    }

    @Test
    @DisplayName("O11 Checkpoints come back as they went in: no bytes, one, every value there is, the largest")
    final void checkpointsComeBackUnchanged() {
        for (Payload payload : payloads()) {
            AcquireRequest request = ask(key());
            LeaseRef lease = take(request);
            settle(lease, Settlement.checkpoint(payload));
            assertThat(isRenewed(lease)).isTrue();

            assertThat(granted(store.acquire(request)).checkpoint()).isEqualTo(payload);
        }
    }

    @Test
    @DisplayName("O02 No answer at all is not the same as an answer of no bytes")
    final void nothingIsNotEmpty() {
        Key key = key();
        settle(take(key), Settlement.done(null, LONG));

        assertThat(settled(store.acquire(ask(key))).settlement().payload()).isNull();
        assertThat(record(key).progress().payload()).isNull();
    }

    private List<Payload> payloads() {
        byte[] everyValue = new byte[256];
        for (int value = 0; value < 256; value++) {
            everyValue[value] = (byte) value;
        }
        byte[] large = new byte[traits().largestPayload()];
        new Random(1).nextBytes(large);
        return List.of(
                Payload.of(new byte[0]),
                Payload.of(new byte[1]),
                Payload.of("Ünïcödé 😀"),
                Payload.of(everyValue),
                Payload.of(large));
    }
}
