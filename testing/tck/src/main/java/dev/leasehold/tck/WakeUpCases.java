package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Mismatch;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who is told what without asking. A store that cannot tell must say so, and do everything else the same. */
abstract class WakeUpCases extends LineCases {
    /** How long a wake-up may take on a slow day. Only the kit's own tests ask for less. */
    Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** What one store object told, until the test's end or {@link #stop}. */
    private final class Ear {
        private final BlockingQueue<WakeUp> heard = new LinkedBlockingQueue<>();
        private final Optional<Subscription> subscription;

        Ear(LeaseStore on) {
            subscription = on.onWakeUp(heard::add);
            assertThat(subscription.isPresent()).isEqualTo(traits().tellsWakeUps());
        }

        WakeUp next() throws InterruptedException {
            WakeUp next = heard.poll(patience().toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next).as("a wake-up within %s", patience()).isNotNull();
            return Objects.requireNonNull(next);
        }

        void hearsNoMore() {
            assertThat(heard).isEmpty();
        }

        void stop() {
            subscription.ifPresent(Subscription::close);
        }
    }

    /** A second listener on another store object; the same one if there can only be one. */
    private Ear second(LeaseStore other, Ear first) {
        return other == store ? first : new Ear(other);
    }

    @Test
    @DisplayName("W04 Only the store object of the caller that is served is told, once, with the lease")
    final void handOverIsToldOnceToTheRightObject() throws Exception {
        LeaseStore other = another();
        Ear here = new Ear(store);
        Ear there = second(other, here);
        LeaseRef lease = take(key());
        AcquireRequest first = standInLine(lease.key(), LONG);
        AcquireRequest second = ask(lease.key()).inLineFor(LONG);
        held(other.acquire(second));
        Duration wait = isTimeReal() ? Duration.ZERO : Duration.ofSeconds(5);
        elapse(wait);

        release(lease);
        LeaseRef handed = holder(lease.key());
        assertThat(handed.nonce()).isEqualTo(first.nonce());
        if (traits().tellsWakeUps()) {
            assertHandedOver(here.next(), handed, wait);
        }
        release(handed);
        LeaseRef handedAgain = holder(lease.key());
        assertThat(handedAgain.nonce()).isEqualTo(second.nonce());
        if (traits().tellsWakeUps()) {
            assertHandedOver(there.next(), handedAgain, wait);
        }

        here.hearsNoMore();
        there.hearsNoMore();
    }

    private void assertHandedOver(WakeUp wakeUp, LeaseRef lease, Duration waited) {
        assertThat(wakeUp).isInstanceOf(WakeUp.HandedOver.class);
        WakeUp.HandedOver handedOver = (WakeUp.HandedOver) wakeUp;
        assertThat(handedOver.lease()).isEqualTo(lease);
        assertThat(handedOver.waited()).isBetween(waited, waited.plus(patience()));
        assertThat(handedOver.remaining()).isPositive().isLessThanOrEqualTo(LeaseRules.HAND_OVER);
        assertThat(handedOver.attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("W04 A release with a cooldown serves nobody: the line is closed and all of it told to look again")
    final void cooldownTellsAllToLookAgain() throws Exception {
        Ear ear = new Ear(store);
        LeaseRef lease = take(key());
        AcquireRequest first = standInLine(lease.key(), LONG);
        AcquireRequest second = standInLine(lease.key(), LONG);

        store.release(ReleaseRequest.of(lease).withCooldown(LONG));

        assertThat(record(lease.key()).state()).isEqualTo(State.FREE);
        assertLineIsTold(ear, first, second);
    }

    @Test
    @DisplayName("O02 An answer closes the line, and all of it are told to look again")
    final void answerTellsAllToLookAgain() throws Exception {
        Ear ear = new Ear(store);
        LeaseRef lease = take(key());
        AcquireRequest first = standInLine(lease.key(), LONG);
        AcquireRequest second = standInLine(lease.key(), LONG);

        store.settle(SettleRequest.of(lease, Settlement.done(null, LONG)));

        assertThat(record(lease.key()).state()).isEqualTo(State.DONE);
        assertLineIsTold(ear, first, second);
    }

    /** A caller in line that says which request its run is for. */
    private AcquireRequest standInLineFor(Key key, String fingerprint) {
        AcquireRequest request = ask(key).inLineFor(LONG).withFingerprint(fingerprint);
        assertThat(held(store.acquire(request)).inLine()).isTrue();
        return request;
    }

    private LeaseRef keepAttempts(LeaseRef lease) {
        store.release(ReleaseRequest.of(lease).withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS));
        return holder(lease.key());
    }

    @Test
    @DisplayName("O04 A run that is given back passes over callers in line with another request, and tells them")
    final void otherRequestsInLineArePassedOver() throws Exception {
        Ear ear = new Ear(store);
        Key key = key();
        LeaseRef unnamed = take(key);
        AcquireRequest first = standInLineFor(key, "request 1");
        AcquireRequest other = standInLineFor(key, "request 2");
        AcquireRequest same = standInLineFor(key, "request 1");
        AcquireRequest unsaid = standInLine(key, LONG);
        LeaseRef handed = keepAttempts(unnamed);
        assertThat(handed.nonce()).isEqualTo(first.nonce());
        Payload checkpoint = Payload.of("of request 1");
        store.settle(SettleRequest.checkpoint(handed, Settlement.checkpoint(checkpoint), 1));
        if (traits().tellsWakeUps()) {
            assertThat(ear.next().nonce()).isEqualTo(first.nonce());
        }

        LeaseRef next = keepAttempts(handed);

        assertThat(next.nonce()).isEqualTo(same.nonce());
        assertThat(line(key)).containsExactly(unsaid.nonce());
        assertThat(record(key).progress().fingerprint()).isEqualTo("request 1");
        assertThat(record(key).progress().payload()).isEqualTo(checkpoint);
        if (traits().tellsWakeUps()) {
            assertThat(List.of(ear.next(), ear.next()))
                    .contains(new WakeUp.LookAgain(key, other.nonce()))
                    .extracting(WakeUp::nonce)
                    .containsExactlyInAnyOrder(same.nonce(), other.nonce());
        }
        ear.hearsNoMore();
        assertThat(store.acquire(other)).isEqualTo(new Mismatch(next.fence(), State.HELD));
    }

    @Test
    @DisplayName("O04 A run that is given back is free if all callers in line have another request")
    final void runIsFreeIfAllInLineHaveAnotherRequest() throws Exception {
        LeaseStore elsewhere = another();
        Ear here = new Ear(store);
        Ear there = second(elsewhere, here);
        Key key = key();
        LeaseRef unnamed = take(key);
        AcquireRequest first = standInLineFor(key, "request 1");
        AcquireRequest other = ask(key).inLineFor(LONG).withFingerprint("request 2");
        held(elsewhere.acquire(other));
        LeaseRef handed = keepAttempts(unnamed);
        if (traits().tellsWakeUps()) {
            assertThat(here.next().nonce()).isEqualTo(first.nonce());
        }

        store.release(ReleaseRequest.of(handed).withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS));

        assertThat(record(key).state()).isEqualTo(State.FREE);
        assertThat(line(key)).isEmpty();
        if (traits().tellsWakeUps()) {
            assertThat(there.next()).isEqualTo(new WakeUp.LookAgain(key, other.nonce()));
        }
        here.hearsNoMore();
        assertThat(elsewhere.acquire(other)).isEqualTo(new Mismatch(handed.fence(), State.FREE));
    }

    @Test
    @DisplayName("O04 A run that is wiped goes to the first in line, whatever its request")
    final void wipedRunGoesToAnyRequest() throws Exception {
        Key key = key();
        LeaseRef unnamed = take(key);
        AcquireRequest first = standInLineFor(key, "request 1");
        AcquireRequest other = standInLineFor(key, "request 2");
        LeaseRef handed = keepAttempts(unnamed);
        assertThat(handed.nonce()).isEqualTo(first.nonce());

        release(handed);

        assertThat(holder(key).nonce()).isEqualTo(other.nonce());
        assertThat(granted(store.acquire(other)).attempt()).isEqualTo(1);
    }

    private void assertLineIsTold(Ear ear, AcquireRequest first, AcquireRequest second) throws InterruptedException {
        assertThat(line(first.key())).isEmpty();
        if (traits().tellsWakeUps()) {
            assertThat(new WakeUp[] {ear.next(), ear.next()})
                    .containsExactlyInAnyOrder(
                            new WakeUp.LookAgain(first.key(), first.nonce()),
                            new WakeUp.LookAgain(second.key(), second.nonce()));
        }
        ear.hearsNoMore();
    }

    @Test
    @DisplayName("W05 Whoever ended its subscription hears nothing, and ending it twice is harmless")
    final void endedSubscriptionIsSilent() throws Exception {
        Ear ended = new Ear(store);
        Ear ear = new Ear(store);
        ended.stop();
        ended.stop();
        LeaseRef lease = take(key());
        AcquireRequest waiting = standInLine(lease.key(), LONG);

        release(lease);

        assertThat(holder(lease.key()).nonce()).isEqualTo(waiting.nonce());
        if (traits().tellsWakeUps()) {
            assertThat(ear.next().nonce()).isEqualTo(waiting.nonce());
        }
        ended.hearsNoMore();
    }
}
