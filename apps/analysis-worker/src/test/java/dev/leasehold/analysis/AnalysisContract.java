package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.leasehold.analysis.AnalysisLocks.Acquired;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.TemporalUnitOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * The contract of the worker, over HTTP and by the three functions of ANALYSIS-11, on every store that it can be set up
 * with. Records are looked at past Leasehold, by the store's own client.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(90)
abstract class AnalysisContract {
    private static final TemporalUnitOffset SOON = within(20, ChronoUnit.SECONDS);
    private static final Acquired GRANTED = new Acquired(true, null);
    private static final Acquired LOCKED = new Acquired(false, "locked");
    private static final Acquired FINISHED = new Acquired(false, "already_finished");

    private final Output output = new Output();
    private final Gate gate = new Gate("first");
    Place place;
    private Instance first;
    private Instance second;

    /** The store. */
    abstract Place open();

    /** A field of a time, as the store's own client reads it. */
    abstract void assertIsTime(@Nullable Object value);

    @BeforeAll
    void start() {
        place = open();
        first = Instance.start(place.settings(Map.of()), gate);
        second = Instance.start(place.settings(Map.of()), new Gate("second").opened());
    }

    @AfterAll
    void end() {
        second.close();
        first.close();
        place.close();
        output.close();
    }

    private static Map<String, @Nullable Object> fields(@Nullable Object... namesAndValues) {
        Map<String, @Nullable Object> fields = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return fields;
    }

    /** A record with these fields, made by hand. */
    private String record(@Nullable Object... namesAndValues) {
        String id = UUID.randomUUID().toString();
        place.write(id, fields("status", "PENDING", "text", "a text"));
        place.write(id, fields(namesAndValues));
        return id;
    }

    private Object in(int seconds) {
        return place.time(Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.MILLIS));
    }

    private Instant expiry(String id) {
        return Place.moment(place.read(id).get("lockExpiresAt"));
    }

    private void assertIsFree(String id) {
        assertThat(place.read(id).get("lockOwner")).isNull();
        assertThat(place.read(id).get("lockExpiresAt")).isNull();
    }

    @Test
    @Tag("ANALYSIS-1")
    @DisplayName(
            "Acquire checks the status and locks the record in one step, in the fields that ANALYSIS-1 names; a missing record is an error")
    void acquireIsOneStep() throws Exception {
        assumeTrue(place.hasPower());
        String id = first.calls.create("a text");
        CompletableFuture<Reply> running = first.calls.deliverLater(id);
        gate.await();
        Map<String, @Nullable Object> locked = place.read(id);
        assertThat(locked.get("lockOwner")).isInstanceOf(String.class).isNotEqualTo("");
        assertIsTime(locked.get("lockExpiresAt"));
        assertIsTime(locked.get("lockHeartbeatAt"));
        assertThat(locked).containsEntry("status", "PENDING").containsEntry("text", "a text");
        gate.letOneGoOn();
        assertThat(running.join().isDone()).isTrue();

        for (int i = 0; i < 10; i++) {
            String contended = record();
            List<Acquired> answers = new ArrayList<>();
            place.finishWhileAcquiring(
                    contended, () -> answers.add(second.locks().acquireAnalysisLock(contended, "late", null)));
            assertThat(answers)
                    .as("the status changed between look and lock")
                    .doesNotContain(GRANTED)
                    .hasSize(1);
            assertThat(place.read(contended)).containsEntry("status", "READY");
            assertIsFree(contended);
        }

        assertThat(first.calls.deliver("missing").isProblem(404)).isTrue();
        assertThatThrownBy(() -> first.locks().acquireAnalysisLock("missing", "me", null))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining("missing");
        assertThat(place.read("missing")).isEmpty();
    }

    @Test
    @Tag("ANALYSIS-2")
    @DisplayName("A record that is READY or FAILED is not acquired: already_finished, and nothing changes")
    void finishedIsNotAcquired() {
        for (String status : List.of("READY", "FAILED")) {
            String id = record("status", status);
            Map<String, @Nullable Object> before = place.read(id);
            assertThat(first.calls.deliver(id).isSkipped("already_finished")).isTrue();
            assertThat(first.locks().acquireAnalysisLock(id, "me", null)).isEqualTo(FINISHED);
            String abandoned = record("status", status, "lockOwner", "dead", "lockExpiresAt", in(-60));
            assertThat(first.locks().acquireAnalysisLock(abandoned, "me", null)).isEqualTo(FINISHED);
            assertThat(place.read(id)).isEqualTo(before);
        }
    }

    @Test
    @Tag("ANALYSIS-3")
    @DisplayName("Without an owner: acquired. Expired: taken over. Not expired: not acquired, locked")
    void ownerAndExpiryDecide() {
        String free = record();
        String stale = record("lockOwner", "dead", "lockExpiresAt", in(-1), "lockFence", 5L);
        String live = record("lockOwner", "alive", "lockExpiresAt", in(60), "lockFence", 5L);
        assertThat(first.locks().acquireAnalysisLock(free, "me", null)).isEqualTo(GRANTED);
        assertThat(first.locks().acquireAnalysisLock(stale, "me", null)).isEqualTo(GRANTED);
        assertThat(place.read(stale)).containsEntry("lockOwner", "me");
        assertThat(first.locks().acquireAnalysisLock(live, "me", null)).isEqualTo(LOCKED);
        assertThat(place.read(live)).containsEntry("lockOwner", "alive");

        String staleTask = record("lockOwner", "dead", "lockExpiresAt", in(-1), "lockFence", 5L);
        assertThat(second.calls.deliver(staleTask).isDone()).isTrue();
        assertThat(output.lines("WARN", "analysis taken over"))
                .anyMatch(line -> line.get("predecessor").asString().equals("dead"));
        assertThat(second.calls.deliver(live).status()).isEqualTo(503);
        assertThat(second.calls.deliver(record()).isDone()).isTrue();
    }

    @Test
    @Tag("ANALYSIS-4")
    @DisplayName(
            "Release clears the lock for its owner alone; if it fails, the log says so, and the work's result stands")
    void releaseIsTheOwners() {
        assumeTrue(place.hasPower());
        AnalysisLocks locks = first.locks();
        String id = record();
        locks.acquireAnalysisLock(id, "me", null);
        Map<String, @Nullable Object> held = place.read(id);
        locks.releaseAnalysisLock(id, "another");
        locks.releaseAnalysisLock(id, "m");
        locks.releaseAnalysisLock("missing", "me");
        assertThat(place.read(id)).isEqualTo(held);

        place.write(id, fields("error", "the result of the work"));
        place.fail();
        try {
            locks.releaseAnalysisLock(id, "me");
        } finally {
            place.repair();
        }
        assertThat(output.lines("WARN", "Could not release the lock on analyses/" + id))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.get("message").asString()).contains("It expires by itself");
                    assertThat(line.get("analysisId").asString()).isEqualTo(id);
                    assertThat(line.get("owner").asString()).isEqualTo("me");
                });
        assertThat(place.read(id)).containsEntry("lockOwner", "me").containsEntry("error", "the result of the work");
        locks.releaseAnalysisLock(id, "me");
        assertIsFree(id);
        assertThat(place.read(id)).containsEntry("error", "the result of the work");
    }

    @Test
    @Tag("ANALYSIS-4")
    @Tag("ANALYSIS-11")
    @DisplayName("Locks that one owner acquires on many records at the same moment are all released")
    void manyLocksOfOneOwner() throws Exception {
        AnalysisLocks locks = first.locks();
        List<String> ids = Stream.generate(() -> record()).limit(200).toList();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Acquired>> calls = ids.stream()
                    .<Callable<Acquired>>map(id -> () -> locks.acquireAnalysisLock(id, "me", null))
                    .toList();
            for (Future<Acquired> answer : threads.invokeAll(calls)) {
                assertThat(answer.get()).isEqualTo(GRANTED);
            }
            ids.forEach(id -> locks.releaseAnalysisLock(id, "me"));
        } finally {
            threads.shutdownNow();
        }
        assertThat(ids).allSatisfy(this::assertIsFree);
    }

    @Test
    @Tag("ANALYSIS-4")
    @DisplayName("If a failed task cannot clear its lock, the log says so, and the task's own failure is answered")
    void failedTaskThatCannotClear() throws Exception {
        assumeTrue(place.hasPower());
        String id = first.calls.create("fails");
        CompletableFuture<Reply> running = first.calls.deliverLater(id);
        gate.await();
        place.fail();
        try {
            gate.letOneGoOn();
            assertThat(running.join().isProblem(500)).isTrue();
        } finally {
            place.repair();
        }
        assertThat(output.lines("WARN", "Could not release the lease on analyses/" + id))
                .hasSize(1);
        assertThat(place.read(id)).containsEntry("status", "PENDING");
    }

    @Test
    @Tag("ANALYSIS-5")
    @DisplayName("Refresh extends by the caller's TTL and stamps the heartbeat, for the owner alone")
    void refreshIsTheOwners() {
        AnalysisLocks locks = first.locks();
        String id = record();
        locks.acquireAnalysisLock(id, "me", 60);
        place.write(id, fields("lockHeartbeatAt", in(-30)));
        Map<String, @Nullable Object> held = place.read(id);
        assertThatThrownBy(() -> locks.refreshAnalysisLock(id, "another", 900))
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("analyses/" + id);
        assertThat(place.read(id)).isEqualTo(held);
        locks.refreshAnalysisLock(id, "me", 900);
        assertThat(expiry(id)).isCloseTo(Instant.now().plusSeconds(900), SOON);
        assertThat(Place.moment(place.read(id).get("lockHeartbeatAt"))).isCloseTo(Instant.now(), SOON);
        locks.refreshAnalysisLock(id, "me", null);
        assertThat(expiry(id)).isCloseTo(Instant.now().plusSeconds(300), SOON);
    }

    @Test
    @Tag("ANALYSIS-5")
    @DisplayName("While the work runs, its lock is refreshed every 60 to 120 s, and the work is told when it is lost")
    void refreshIsAutomatic() throws Exception {
        ManualTime time = new ManualTime();
        Gate work = new Gate("manual");
        try (Instance instance = Instance.start(place.settings(Map.of()), work, time)) {
            String id = instance.calls.create("a text");
            CompletableFuture<Reply> running = instance.calls.deliverLater(id);
            work.await();
            List<Integer> stamps = new ArrayList<>();
            Object before = place.read(id).get("lockHeartbeatAt");
            for (int second = 1; second <= 1_000; second++) {
                time.advance(Duration.ofSeconds(1));
                Object now = place.read(id).get("lockHeartbeatAt");
                if (!String.valueOf(now).equals(String.valueOf(before))) {
                    stamps.add(second);
                    before = now;
                }
            }
            assertThat(stamps).hasSizeGreaterThan(7);
            assertThat(IntStream.range(0, stamps.size()).map(i -> stamps.get(i) - (i == 0 ? 0 : stamps.get(i - 1))))
                    .allSatisfy(pace -> assertThat(pace).isBetween(60, 120));
            assertThat(expiry(id)).isCloseTo(Instant.now().plusSeconds(300), SOON);

            place.write(id, fields("lockOwner", "thief", "lockFence", 1L << 52));
            time.advance(Duration.ofMinutes(2));
            Map<String, @Nullable Object> stolen = place.read(id);
            work.letOneGoOn();
            Reply answer = running.join();
            assertThat(answer.isProblem(503))
                    .as("the work was told: %s", answer)
                    .isTrue();
            assertThat(place.read(id)).isEqualTo(stolen);
            assertThat(output.lines("ERROR", "analysis lost its lock"))
                    .anyMatch(line -> line.get("analysisId").asString().equals(id));
        }
    }

    @Test
    @Tag("ANALYSIS-6")
    @DisplayName("The TTL is 300 s unless the caller, or the setting of the worker, says otherwise")
    void ttl() throws Exception {
        String id = first.calls.create("a text");
        CompletableFuture<Reply> running = first.calls.deliverLater(id);
        gate.await();
        assertThat(expiry(id)).isCloseTo(Instant.now().plusSeconds(300), SOON);
        gate.letOneGoOn();
        running.join();
        AnalysisLocks locks = first.locks();
        String usual = record();
        locks.acquireAnalysisLock(usual, "me", null);
        assertThat(expiry(usual)).isCloseTo(Instant.now().plusSeconds(300), SOON);
        String longer = record();
        locks.acquireAnalysisLock(longer, "me", 3_600);
        assertThat(expiry(longer)).isCloseTo(Instant.now().plusSeconds(3_600), SOON);
        locks.refreshAnalysisLock(longer, "me", 60);
        assertThat(expiry(longer)).isCloseTo(Instant.now().plusSeconds(60), SOON);
        assertThat(place.settings(Map.of("ANALYSIS_LOCK_TTL_SECONDS", "77")).lockTtl())
                .isEqualTo(Duration.ofSeconds(77));
    }

    @Test
    @Tag("ANALYSIS-7")
    @DisplayName("Not acquired is a skip: 200 if finished; if locked 503 with Retry-After, or 200 by the setting")
    void notAcquiredIsASkip() throws Exception {
        String finished = record("status", "READY");
        assertThat(first.calls.deliver(finished).text())
                .isEqualTo("{\"reason\":\"already_finished\",\"status\":\"skipped\"}");
        String id = first.calls.create("a text");
        CompletableFuture<Reply> running = first.calls.deliverLater(id);
        gate.await();
        Reply locked = second.calls.deliver(id);
        assertThat(locked.isProblem(503)).isTrue();
        assertThat(Integer.parseInt(locked.retryAfter())).isBetween(1, 300);
        try (Instance skipping =
                Instance.start(place.settings(Map.of("ANALYSIS_LOCKED_ANSWER", "200")), new Gate("skips").opened())) {
            assertThat(skipping.calls.deliver(id).isSkipped("locked")).isTrue();
            assertThat(skipping.calls.deliver(finished).isSkipped("already_finished"))
                    .isTrue();
        }
        gate.letOneGoOn();
        assertThat(running.join().isDone()).isTrue();
    }

    @Test
    @Tag("ANALYSIS-7")
    @DisplayName("The redelivery of a locked task rescues the work of a worker that was killed")
    void redeliveryRescues() {
        Map<String, String> settings = new HashMap<>(place.environment());
        settings.put("ANALYSIS_LOCK_TTL_SECONDS", "2");
        String id = second.calls.create("60000 ms");
        try (Child doomed = Child.start("doomed", settings)) {
            CompletableFuture<Reply> lost = doomed.calls.deliverLater(id);
            awaitLock(id);
            doomed.kill();
            assertThat(lost.handle((reply, error) -> error).join()).isNotNull();
        }
        Reply redelivered = second.calls.deliver(id);
        int locked = 0;
        while (redelivered.status() == 503 && locked < 200) {
            assertThat(Integer.parseInt(redelivered.retryAfter())).isBetween(1, 2);
            locked++;
            Child.pause(50);
            redelivered = second.calls.deliver(id);
        }
        assertThat(locked).as("the first redelivery comes too early").isPositive();
        assertThat(redelivered.isDone()).isTrue();
        assertThat(second.calls.analysis(id).member("status")).isEqualTo("READY");
    }

    private void awaitLock(String id) {
        for (int i = 0; place.read(id).get("lockOwner") == null && i < 600; i++) {
            Child.pause(20);
        }
        assertThat(place.read(id).get("lockOwner")).as("the analysis is locked").isNotNull();
    }

    @Test
    @Tag("ANALYSIS-8")
    @DisplayName(
            "A task locks, works, and writes READY with its result or FAILED with its reason as it clears the lock")
    void finalWriteClearsTheLock() {
        assumeTrue(place.hasPower());
        String id = second.calls.create("a text");
        assertThat(second.calls.deliver(id).text()).isEqualTo("{\"status\":\"done\"}");
        String locked = "PENDING locked by " + ProcessHandle.current().pid() + "@";
        assertThat(place.changes(id)).hasSize(2).last().asString().matches("READY fence \\d+");
        assertThat(place.changes(id).get(0)).startsWith(locked);
        assertIsFree(id);
        JsonNode ready = second.calls.analysis(id).json();
        assertThat(ready.get("status").asString()).isEqualTo("READY");
        assertThat(ready.get("words").asInt()).isEqualTo(3);
        assertThat(ready.get("topWords").get(0).asString()).isEqualTo("second");

        String empty = second.calls.create("  ");
        assertThat(second.calls.deliver(empty).text()).isEqualTo("{\"reason\":\"empty\",\"status\":\"failed\"}");
        assertThat(place.changes(empty)).hasSize(2).last().asString().matches("FAILED fence \\d+");
        assertThat(place.changes(empty).get(0)).startsWith(locked);
        assertIsFree(empty);
        assertThat(second.calls.analysis(empty).member("error")).isEqualTo("There is no text to analyse.");

        String failing = second.calls.create("fails");
        for (int attempt = 1; attempt <= 4; attempt++) {
            assertThat(second.calls.deliver(failing).isProblem(500)).isTrue();
            assertThat(place.read(failing)).containsEntry("status", "PENDING");
            assertIsFree(failing);
        }
        assertThat(second.calls.deliver(failing).isProblem(500)).isTrue();
        assertThat(second.calls.deliver(failing).isSkipped("already_finished")).isTrue();
        assertThat(second.calls.analysis(failing).member("status")).isEqualTo("FAILED");
        assertThat(second.calls.analysis(failing).member("error")).contains("This analysis fails.");
        assertThat(place.changes(failing).get(9)).matches("FAILED fence \\d+");
    }

    @Test
    @Tag("ANALYSIS-9")
    @DisplayName(
            "First acquire; one of many at once; after the TTL; never when finished; a foreign release leaves the lock")
    void fiveProofs() throws Exception {
        for (int round = 0; round < 10; round++) {
            String id = record();
            List<Acquired> answers = Stream.of(first, second, first, second)
                    .map(instance -> CompletableFuture.supplyAsync(() -> instance.locks()
                            .acquireAnalysisLock(id, UUID.randomUUID().toString(), 1)))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
            assertThat(answers).containsOnly(GRANTED, LOCKED);
            assertThat(Collections.frequency(answers, GRANTED)).isEqualTo(1);
        }
        String id = first.calls.create("a text");
        int begun = gate.begun.get();
        List<CompletableFuture<Reply>> deliveries = IntStream.range(0, 4)
                .mapToObj(i -> first.calls.deliverLater(id))
                .toList();
        gate.await();
        while (deliveries.stream().filter(CompletableFuture::isDone).count() < 3) {
            Child.pause(10);
        }
        assertThat(second.calls.deliver(id).status()).isEqualTo(503);
        gate.letOneGoOn();
        List<Reply> replies = deliveries.stream().map(CompletableFuture::join).toList();
        assertThat(replies.stream().filter(Reply::isDone)).hasSize(1);
        assertThat(replies.stream().filter(reply -> reply.status() == 503)).hasSize(3);
        assertThat(gate.begun.get() - begun).isEqualTo(1);
        assertThat(second.calls.deliver(id).isSkipped("already_finished")).isTrue();

        String expiring = record();
        AnalysisLocks locks = first.locks();
        assertThat(locks.acquireAnalysisLock(expiring, "first", 1)).isEqualTo(GRANTED);
        Acquired again = LOCKED;
        for (int i = 0; again.equals(LOCKED) && i < 200; i++) {
            assertThat(place.read(expiring)).containsEntry("lockOwner", "first");
            Child.pause(25);
            again = second.locks().acquireAnalysisLock(expiring, "next", 300);
        }
        assertThat(again).isEqualTo(GRANTED);
        locks.releaseAnalysisLock(expiring, "first");
        assertThat(place.read(expiring)).containsEntry("lockOwner", "next");
        for (String status : List.of("READY", "FAILED")) {
            assertThat(locks.acquireAnalysisLock(record("status", status), "me", null))
                    .isEqualTo(FINISHED);
        }
    }

    @Test
    @Tag("ANALYSIS-10")
    @DisplayName("A worker that was stopped for longer than its TTL writes nothing over its successor")
    void overtakenWorkerWritesNothing() {
        Map<String, String> settings = new HashMap<>(place.environment());
        settings.put("ANALYSIS_LOCK_TTL_SECONDS", "2");
        String id = second.calls.create("1500 ms");
        try (Child sleeper = Child.start("sleeper", settings)) {
            CompletableFuture<Reply> late = sleeper.calls.deliverLater(id);
            awaitLock(id);
            Object fence = place.read(id).get("lockFence");
            sleeper.stop();
            Reply taken = second.calls.deliver(id);
            for (int i = 0; taken.status() == 503 && i < 200; i++) {
                Child.pause(50);
                taken = second.calls.deliver(id);
            }
            assertThat(taken.isDone()).isTrue();
            Map<String, @Nullable Object> after = place.read(id);
            assertThat(after.get("lockFence")).isNotEqualTo(fence);
            sleeper.goOn();
            late.handle((reply, error) -> reply).join();
            assertThat(place.read(id)).isEqualTo(after);
            assertThat(sleeper.log())
                    .noneMatch(line -> line.get("message").asString().equals("analysis ready"));
        }
        assertThat(second.calls.analysis(id).json().get("topWords").get(0).asString())
                .isEqualTo("second");
    }

    @Test
    @Tag("ANALYSIS-10")
    @DisplayName("The final write of a worker that does not look at its lease is refused by its fence")
    void carelessWorkerIsRefused() throws Exception {
        String id = first.calls.create("careless");
        CompletableFuture<Reply> late = first.calls.deliverLater(id);
        gate.await();
        long fence = ((Number) place.read(id).get("lockFence")).longValue();
        place.write(id, fields("lockExpiresAt", in(-1)));
        assertThat(second.locks().acquireAnalysisLock(id, "successor", 300)).isEqualTo(GRANTED);
        Map<String, @Nullable Object> taken = place.read(id);
        assertThat(((Number) taken.get("lockFence")).longValue()).isGreaterThan(fence);
        gate.letOneGoOn();
        assertThat(late.join().isProblem(503)).isTrue();
        assertThat(place.read(id)).isEqualTo(taken);
        assertThat(output.lines("WARN", "analysis not written: it lost its lock before its result was written"))
                .anyMatch(line -> line.get("analysisId").asString().equals(id)
                        && line.get("attempt").asInt() == 1);
        second.locks().releaseAnalysisLock(id, "successor");
        assertThat(second.calls.deliver(id).isDone()).isTrue();
    }

    @Test
    @Tag("ANALYSIS-11")
    @DisplayName(
            "The three functions of ANALYSIS-11: the caller's owner decides who may release and refresh, from any process")
    void theThreeFunctions() {
        String id = record();
        assertThat(first.locks().acquireAnalysisLock(id, "alice", null)).isEqualTo(GRANTED);
        assertThat(place.read(id)).containsEntry("lockOwner", "alice");
        assertThat(first.locks().acquireAnalysisLock(id, "alice", null)).isEqualTo(LOCKED);
        assertThat(second.locks().acquireAnalysisLock(id, "bob", 10)).isEqualTo(LOCKED);
        second.locks().refreshAnalysisLock(id, "alice", 900);
        assertThat(expiry(id)).isCloseTo(Instant.now().plusSeconds(900), SOON);
        assertThatThrownBy(() -> first.locks().refreshAnalysisLock(id, "bob", 900))
                .isInstanceOf(LeaseException.class);
        first.locks().releaseAnalysisLock(id, "bob");
        assertThat(place.read(id)).containsEntry("lockOwner", "alice");
        second.locks().releaseAnalysisLock(id, "alice");
        assertIsFree(id);
        assertThatThrownBy(() -> first.locks().refreshAnalysisLock(id, "alice", null))
                .isInstanceOf(LeaseException.class);
        assertThat(first.locks().acquireAnalysisLock(id, "bob", 10)).isEqualTo(GRANTED);
        assertThat(first.calls.deliver(id).status()).isEqualTo(503);
    }
}
