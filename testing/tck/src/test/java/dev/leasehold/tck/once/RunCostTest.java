package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.AnswerCache;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a run asks of its store")
class RunCostTest {
    private static final Duration RETENTION = Duration.ofMinutes(1);
    private static final Fingerprint REQUEST = Fingerprint.of("request");
    private static final RunSpec<String> SPEC = RunSpec.of(Codec.utf8()).withRetention(RETENTION);

    private final ManualTime time = new ManualTime();
    private final MemoryLeaseStore memory = new MemoryLeaseStore(time.storeClock());
    private final FaultyStore store = FaultyStore.inManualTime(memory);
    private final Leases leases =
            Leases.builder(store).clockwork(time).withoutLog().build();
    private final AnswerCache cache = AnswerCache.of(100, 100_000);
    private final Key key = Key.of("report");

    @AfterEach
    void close() {
        leases.close();
    }

    private Once<String> once(RunSpec<String> spec) {
        return Once.on(leases, key, spec).of(REQUEST);
    }

    private static <T extends Throwable> T thrownBy(ThrowableAssert.ThrowingCallable call, Class<T> type) {
        return catchThrowableOfType(type, call);
    }

    @Test
    @DisplayName("O01, O02 is two requests for a run, and one for a replay")
    void requestsAreFew() throws Exception {
        once(SPEC).run(run -> "done");
        assertThat(store.asked()).containsExactly(Verb.ACQUIRE, Verb.SETTLE);
        once(SPEC).run(run -> "again");
        assertThat(store.asked()).containsExactly(Verb.ACQUIRE, Verb.SETTLE, Verb.ACQUIRE);
    }

    @Test
    @DisplayName("O02 is nothing for a replay from the cache, until the answer's time is over")
    void cachedReplaysAskNothing() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        cached.run(run -> "done");
        assertThat(cached.run(run -> "again").toOptional()).contains("done");
        int asked = store.asked().size();
        for (int i = 0; i < 5; i++) {
            assertThat(cached.run(run -> "again"))
                    .isInstanceOfSatisfying(
                            Outcome.Replayed.class,
                            replayed -> assertThat(replayed.value()).isEqualTo("done"));
        }
        assertThat(store.asked()).hasSize(asked);
        time.advance(RETENTION);
        assertThat(cached.run(run -> "again")).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName("O04 is asked for another request, although there is an answer in the cache")
    void cacheChecksTheFingerprint() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        cached.run(run -> "done");
        cached.run(run -> "again");
        assertThat(cached.of(Fingerprint.of("other")).run(run -> "again")).isInstanceOf(Outcome.Mismatch.class);
        assertThat(cached.of(Fingerprint.none()).run(run -> "again").toOptional())
                .contains("done");
    }

    @Test
    @DisplayName("O11 is nothing for a failure in the cache, and forgetting here empties it")
    void failuresAreCachedAndForgotten() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        cached.run(run -> {
            throw new TerminalException(Failure.of("no", "never"));
        });
        Outcome<String> replay = cached.run(run -> "again");
        int asked = store.asked().size();
        assertThat(cached.run(run -> "again")).isInstanceOf(Outcome.Refused.class);
        assertThat(store.asked()).hasSize(asked);
        assertThat(replay)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(cached.forget(refused.fence())).isTrue());
        assertThat(cached.run(run -> "again")).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName("O13 is asked for again after its answer was forgotten in this process, with whatever spec")
    void forgottenAnswersLeaveEveryCache() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        Once<String> other = once(SPEC.withLocalCache(AnswerCache.of(10, 10_000)));
        cached.run(run -> "first");
        assertThat(cached.run(run -> "again").toOptional()).contains("first");
        assertThat(other.run(run -> "again").toOptional()).contains("first");

        assertThat(once(SPEC).forget(fence(cached))).isTrue();
        assertThat(cached.run(run -> "second").toOptional()).contains("second");
        assertThat(other.run(run -> "again").toOptional()).contains("second");
    }

    private static Fence fence(Once<String> once) {
        return Objects.requireNonNull(once.peek().fence());
    }

    @Test
    @DisplayName("O13 is asked for again if its answer is forgotten while another caller reads it")
    void answerReadDuringAForgetIsNotKept() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        cached.run(run -> "first");
        Fence first = fence(cached);
        // The store's answer to the reader is under way while the answer is forgotten.
        store.next(Verb.ACQUIRE, new FaultyStore.Fault.SlowReply(Duration.ofSeconds(1)));
        CompletableFuture<Outcome<String>> reader = cached.runAsync(run -> new CompletableFuture<>());
        assertThat(cached.forget(first)).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(reader.get().toOptional()).contains("first");

        assertThat(cached.run(run -> "second").toOptional()).contains("second");
    }

    @Test
    @DisplayName("O13 is asked for again if a caller reads its answer just before the store forgets it")
    void answerReadJustBeforeAForgetIsNotKept() throws Exception {
        List<Runnable> beforeRelease = new ArrayList<>();
        LeaseStore watched = new ForwardingStore(memory) {
            @Override
            public ReleaseResult release(ReleaseRequest request) {
                beforeRelease.forEach(Runnable::run);
                return super.release(request);
            }
        };
        try (Leases client =
                Leases.builder(watched).clockwork(time).withoutLog().build()) {
            Once<String> cached =
                    Once.on(client, key, SPEC.withLocalCache(cache)).of(REQUEST);
            cached.run(run -> "first");
            beforeRelease.add(() -> assertThat(cached.runAsync(run -> new CompletableFuture<>()))
                    .isCompletedWithValueMatching(Outcome.Replayed.class::isInstance));
            assertThat(cached.forget(fence(cached))).isTrue();
            beforeRelease.clear();

            assertThat(cached.run(run -> "second").toOptional()).contains("second");
        }
    }

    @Test
    @DisplayName("O13 is asked for again after the key was run again in this process, for another request")
    void newRunsLeaveNoOldAnswer() throws Exception {
        Once<String> cached = once(SPEC.withLocalCache(cache));
        cached.run(run -> "first");
        cached.run(run -> "again");
        // Forgotten by another process, of which this one hears nothing.
        memory.release(ReleaseRequest.of(Objects.requireNonNull(
                        memory.find(key).orElseThrow().record().ref()))
                .withEnding(ReleaseRequest.Ending.FORGET));
        assertThat(cached.run(run -> "again").toOptional()).as("the price").contains("first");

        assertThat(cached.of(Fingerprint.none()).run(run -> "second").toOptional())
                .contains("second");

        assertThat(cached.run(run -> "again").toOptional()).contains("second");
    }

    @Test
    @DisplayName("O11 is one request more for a failure that clears, which leaves a word on it")
    void clearingIsThreeRequests() {
        IOException error = new IOException("the network");
        assertThat(thrownBy(
                        () -> once(SPEC).run(run -> {
                            throw error;
                        }),
                        IOException.class))
                .isSameAs(error);
        assertThat(store.asked()).containsExactly(Verb.ACQUIRE, Verb.SETTLE, Verb.RELEASE);
    }

    @Test
    @DisplayName("O17 is no renewal that would let the lease outlive the longest run")
    void renewalsStop() throws Exception {
        RunSpec<String> limited = SPEC.withLeaseTtl(Duration.ofSeconds(30)).withLongestRun(Duration.ofSeconds(70));
        once(limited).run(run -> {
            time.advance(Duration.ofSeconds(40));
            assertThat(run.isValid()).isTrue();
            int renewals = store.calls(Verb.RENEW);
            time.advance(Duration.ofSeconds(30));
            assertThat(run.isValid()).isFalse();
            assertThat(store.calls(Verb.RENEW)).isEqualTo(renewals);
            assertThat(memory.find(key)).get().matches(found -> !found.isHeld());
            return "late";
        });
    }

    @Test
    @DisplayName("O08 is a few renewals, and no more, while an answer does not get through and renewals are late")
    void lateRenewalsDoNotMultiply() throws Exception {
        store.always(Verb.SETTLE, new FaultyStore.Fault.LostRequest());
        store.next(Verb.RENEW, new FaultyStore.Fault.SlowReply(Duration.ofSeconds(6)));
        store.next(Verb.RENEW, new FaultyStore.Fault.NoReply());
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> outcome =
                once(SPEC.withLeaseTtl(Duration.ofSeconds(30))).runAsync(run -> work);
        time.advance(Duration.ofSeconds(5));
        work.complete("done");
        time.advance(Duration.ofSeconds(60));
        assertThat(store.calls(Verb.RENEW)).isLessThan(6);
        assertThat(outcome).isCompletedWithValueMatching(Outcome.Unrecorded.class::isInstance);
    }

    @Test
    @DisplayName("O12 is nothing that wipes the attempts, if a caller gives up without knowing whether it may run")
    void withdrawalKeepsTheAttempts() {
        IOException error = new IOException("the network");
        assertThat(thrownBy(
                        () -> once(SPEC).run(run -> {
                            throw error;
                        }),
                        IOException.class))
                .isSameAs(error);
        store.always(Verb.ACQUIRE, new FaultyStore.Fault.LostReply());
        CompletableFuture<Outcome<String>> unheard = once(SPEC).runAsync(run -> new CompletableFuture<>());
        time.advance(Duration.ofMinutes(1));
        assertThat(unheard).isCompletedExceptionally();
        store.heal();
        assertThat(memory.find(key)).get().matches(found -> !found.isHeld());
        assertThat(once(SPEC).peek().attempts()).isEqualTo(2);
        assertThat(once(SPEC).peek().history()).hasSize(1);
    }
}
