package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a client tells its listeners. */
class EventsTest {
    private static final Set<String> ENDS =
            Set.of("lock:released", "lock:settled", "lock:lost", "lock:cleanup-warning");

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("E01 A lease is acquired, renewed, perhaps at risk or suspect, and ends once; nothing follows")
    void eventsOfALeaseComeInOrder() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(11);
        ann.store.cutOff();
        bench.advanceSeconds(20);
        ann.store.heal();
        bench.advanceSeconds(5);
        bench.time.suspend(Duration.ofSeconds(5));
        lease.ensure();
        lease.release();
        bench.advance(TTL.multipliedBy(2));
        assertThat(ann.told())
                .filteredOn(type -> !type.equals("lock:retry") && !type.equals("lock:error"))
                .containsExactly(
                        "lock:acquired",
                        "lock:renewed",
                        "lock:at-risk",
                        "lock:renewed",
                        "lock:suspect",
                        "lock:renewed",
                        "lock:released");
        assertThat(ann.told()).endsWith("lock:released");
    }

    @Test
    @DisplayName("E01 A run that is settled ends with lock:settled")
    void settledRunEndsSettled() {
        Lease lease = ann.acquire(KEY);
        lease.settle(Settlement.done(null, Duration.ofDays(1)));
        lease.close();
        bench.advance(TTL);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:settled");
    }

    static Stream<Arguments> everyFaultOnEveryVerb() {
        List<Fault> faults = List.of(
                new Fault.LostRequest(),
                new Fault.LostReply(),
                new Fault.SlowReply(Duration.ofSeconds(3)),
                new Fault.SlowReply(Duration.ofSeconds(40)),
                new Fault.NoReply(),
                new Fault.Duplicate(),
                new Fault.LateRequest(),
                new Fault.Failure(new IllegalStateException("as the test wants")));
        return Stream.of(Verb.ACQUIRE, Verb.RENEW, Verb.RELEASE, Verb.SETTLE)
                .flatMap(verb -> faults.stream()
                        .flatMap(fault -> Stream.of(1, 2, 100).map(times -> Arguments.of(verb, fault, times))));
    }

    @ParameterizedTest(name = "E02 One final event per lease, and nothing after it: {0} with {1}, {2} times")
    @MethodSource("everyFaultOnEveryVerb")
    void oneFinalEventPerLease(Verb verb, Fault fault, int times) {
        Lease renewed = verb == Verb.ACQUIRE ? null : ann.acquire(KEY);
        for (int i = 0; i < times; i++) {
            ann.store.next(verb, fault);
        }
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofSeconds(90));
        bench.advanceSeconds(45);
        List<Lease> leases = new ArrayList<>();
        CompletableFuture<?> ended = CompletableFuture.completedFuture(null);
        if (renewed != null) {
            leases.add(renewed);
            ended = verb == Verb.SETTLE ? settle(renewed) : renewed.releaseAsync();
        }
        bench.advanceSeconds(45);
        ann.store.deliverLate();
        if (call.isDone() && !call.isCompletedExceptionally()) {
            call.join().toOptional().ifPresent(leases::add);
        }
        leases.forEach(lease -> assertThat(lease.releaseAsync()).isNotNull());
        bench.advance(TTL.multipliedBy(3));
        // The thread that settles may be the one that tells the events.
        assertThat(ended.handle((result, failure) -> true)).succeedsWithin(Duration.ofSeconds(20));
        for (Lease lease : leases) {
            assertThat(ann.told(lease)).filteredOn(ENDS::contains).hasSize(1);
            assertThat(ENDS).contains(ann.told(lease).get(ann.told(lease).size() - 1));
        }
        bench.advance(TTL);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    /** On a thread of its own, because with some faults it does not return before time has passed. */
    private CompletableFuture<?> settle(Lease lease) {
        CompletableFuture<?> settled =
                CompletableFuture.supplyAsync(() -> lease.settle(Settlement.failed(null, Duration.ofSeconds(1))));
        while (ann.store.calls(Verb.SETTLE) == 0 && !settled.isDone()) {
            Thread.onSpinWait();
        }
        return settled;
    }

    @Test
    @DisplayName("E04 A listener that throws harms neither leases nor other listeners")
    void throwingListenerHarmsNobody() {
        ann.leases.onEvent(event -> {
            throw new IllegalStateException("as the test wants");
        });
        ann.leases.onEvent(event -> {
            throw new AssertionError("as the test wants");
        });
        List<String> later = new ArrayList<>();
        ann.leases.onEvent(event -> later.add(event.type()));
        Lease lease = ann.acquire(KEY);
        bench.advance(TTL.multipliedBy(3));
        lease.ensure();
        lease.release();
        assertThat(later).isEqualTo(ann.told()).startsWith("lock:acquired").endsWith("lock:released");
    }

    @Test
    @DisplayName("E05 A listener may release, acquire and close from within an event")
    void listenerMayUseTheClient() {
        List<Lease> acquired = new ArrayList<>();
        List<String> heard = new ArrayList<>();
        ann.leases.onEvent(event -> {
            heard.add(event.type());
            if (event instanceof LeaseEvent.Renewed) {
                acquired.get(0).release();
            } else if (event instanceof LeaseEvent.Released && acquired.size() == 1) {
                acquired.add(ann.acquire(KEY));
                ann.leases.close();
            }
        });
        acquired.add(ann.acquire(KEY));
        bench.advanceSeconds(10);
        assertThat(acquired).hasSize(2).noneMatch(Lease::isValid);
        assertThat(heard)
                .containsExactly("lock:acquired", "lock:renewed", "lock:released", "lock:acquired", "lock:released");
        assertThat(ann.told()).as("another listener hears the same").isEqualTo(heard);
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("Every event says when, which lease, which store and which key")
    void everyEventHasItsSource() {
        Lease lease = ann.acquire(KEY);
        Instant start = lease.acquiredAt();
        bench.advanceSeconds(11);
        lease.release();
        assertThat(ann.events).hasSize(3).allSatisfy(event -> {
            assertThat(event.source().leaseId()).isEqualTo(lease.id()).isNotBlank();
            assertThat(event.source().backend()).isEqualTo("memory").isEqualTo(lease.backend());
            assertThat(event.source().scope()).isEqualTo(KEY);
        });
        assertThat(ann.events)
                .extracting(event -> event.source().at())
                .isSorted()
                .startsWith(start)
                .endsWith(start.plusSeconds(11));
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("lock:acquired says at which attempt, lock:renewed until when")
    void acquiredAndRenewedHaveTheirFields() {
        ann.store.next(Verb.ACQUIRE, new Fault.LostRequest());
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.noWait());
        bench.advanceSeconds(1);
        Lease lease = call.join().orElseThrow();
        assertThat(ann.events(LeaseEvent.Acquired.class))
                .singleElement()
                .satisfies(event -> assertThat(event.attempt()).isEqualTo(2));
        Instant until = lease.renew();
        assertThat(ann.events(LeaseEvent.Renewed.class))
                .singleElement()
                .satisfies(event -> assertThat(event.expiresAt()).isEqualTo(until));
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("lock:retry says the attempt, the delay and the reason: contended, unavailable, transient-error")
    void retryHasItsFields() {
        bob.acquire(KEY);
        ann.store.next(Verb.ACQUIRE, new Fault.LostRequest());
        ann.store.next(Verb.ACQUIRE, new Fault.Failure(new IllegalStateException("pool closed")));
        assertThat(ann.leases.acquireAsync(KEY, LeaseOptions.defaults())).isNotDone();
        bench.advanceSeconds(3.5);
        List<LeaseEvent.Retry> retries = ann.events(LeaseEvent.Retry.class);
        assertThat(retries).extracting(LeaseEvent.Retry::attempt).containsExactly(1, 2, 3, 4);
        assertThat(retries).extracting(retry -> retry.delay().toMillis()).containsExactly(500L, 1_000L, 2_000L, 4_000L);
        assertThat(retries)
                .extracting(retry -> retry.reason().toString())
                .containsExactly("unavailable", "transient-error", "contended", "contended");
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("lock:error has the error, lock:cleanup-warning its message, lock:lost the reason")
    void failuresHaveTheirFields() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.LostRequest());
        lease.release();
        assertThat(ann.events(LeaseEvent.CleanupWarning.class)).singleElement().satisfies(event -> {
            assertThat(event.message())
                    .isEqualTo("Could not release the lease on report: The request was lost, as the test wanted."
                            + " The next acquire tries again; it expires by itself in at most 30 s.");
            assertThat(event.error().code()).isEqualTo(LeaseException.Code.RELEASE_FAILED);
            assertThat(event.error()).hasCauseInstanceOf(StoreUnavailableException.class);
        });
        bob.store.cutOff();
        assertThat(bob.await(KEY, Duration.ZERO)).isCompletedExceptionally();
        assertThat(bob.events(LeaseEvent.Failed.class))
                .singleElement()
                .satisfies(event -> assertThat(event.error().code()).isEqualTo(LeaseException.Code.UNAVAILABLE));
        bob.store.heal();
        bench.advance(TTL);
        bob.acquire(KEY);
        bob.store.cutOff();
        bench.advance(TTL);
        assertThat(bob.events(LeaseEvent.Lost.class)).singleElement().satisfies(event -> {
            assertThat(event.why()).isEqualTo("its time ran out before a renewal got through");
            assertThat(event.error())
                    .hasMessage("The lease on report is lost: its time ran out before a renewal got through."
                            + " Stop, and acquire it again.");
        });
    }

    @Test
    @DisplayName("A call that does not wait and is refused ends with lock:refused, which says who has the lease")
    void refusedSaysWhoHasIt() {
        bob.acquire(KEY);
        assertThat(ann.tryAcquire(KEY).toOptional()).isEmpty();
        assertThat(ann.told()).containsExactly("lock:refused");
        assertThat(ann.events(LeaseEvent.Refused.class)).singleElement().satisfies(event -> {
            assertThat(event.refusal().owner()).contains(Owner.of("bob"));
            assertThat(event.why()).startsWith("held by bob");
            assertThat(event.source().owner()).isEqualTo(Owner.of("ann"));
            assertThat(event.source().fence()).isNull();
        });
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("Every event of a lease says its owner and fence")
    void everyEventHasOwnerAndFence() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(11);
        lease.release();
        assertThat(ann.events).hasSize(3).allSatisfy(event -> {
            assertThat(event.source().owner()).isEqualTo(lease.owner());
            assertThat(event.source().fence()).isEqualTo(lease.fence());
        });
    }

    @Test
    @Tag("part-of:LOCK-9")
    @DisplayName("Every kind of event has its name")
    void everyEventHasItsName() {
        LeaseEvent.Source source = new LeaseEvent.Source(Instant.EPOCH, "id", "memory", KEY, Owner.of("ann"), null);
        LeaseException error = new LeaseException(LeaseException.Code.TIMEOUT, KEY, "message", null);
        Acquisition.Refused refused = new Acquisition.Refused(KEY, new AcquireResult.Missing());
        assertThat(Stream.of(
                                new LeaseEvent.Acquired(source, 1, Duration.ZERO),
                                new LeaseEvent.Renewed(source, Instant.EPOCH),
                                new LeaseEvent.AtRisk(source, Instant.EPOCH),
                                new LeaseEvent.Suspect(source),
                                new LeaseEvent.Lost(source, "its time ran out", error, false),
                                new LeaseEvent.Released(source),
                                new LeaseEvent.Settled(source, State.DONE),
                                new LeaseEvent.Refused(source, refused, Duration.ZERO),
                                new LeaseEvent.Retry(source, 1, Duration.ZERO, LeaseEvent.Reason.CONTENDED),
                                new LeaseEvent.CleanupWarning(source, error),
                                new LeaseEvent.Failed(source, error, Duration.ZERO))
                        .map(LeaseEvent::type))
                .containsExactly(
                        "lock:acquired",
                        "lock:renewed",
                        "lock:at-risk",
                        "lock:suspect",
                        "lock:lost",
                        "lock:released",
                        "lock:settled",
                        "lock:refused",
                        "lock:retry",
                        "lock:cleanup-warning",
                        "lock:error");
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("What a call caused has been handed to the listeners' thread when the call returns")
    void deliveryIsPrompt() {
        Lease lease = ann.acquire(KEY);
        assertThat(ann.told()).containsExactly("lock:acquired");
        bench.advanceSeconds(1);
        lease.renew();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:renewed");
        lease.release();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:renewed", "lock:released");
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("Any number may listen, and leaving twice is harmless")
    void anyNumberMayListen() {
        List<String> heard = new ArrayList<>();
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            subscriptions.add(ann.leases.onEvent(event -> heard.add(event.type())));
        }
        Lease lease = ann.acquire(KEY);
        assertThat(heard).hasSize(10);
        subscriptions.forEach(Subscription::close);
        subscriptions.forEach(Subscription::close);
        lease.release();
        assertThat(heard).hasSize(10);
        assertThat(ann.told()).hasSize(2);
    }
}
