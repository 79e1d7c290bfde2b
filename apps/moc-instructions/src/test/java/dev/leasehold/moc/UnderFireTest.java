package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.moc.FaultyHttp.Fate;
import java.awt.Color;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two instances, 50 MOCs, each finalized by 8 clients at once that call until they have the record, while S3 and OpenSearch
 * fail now and then and instances are killed. Takes 20 s and what comes after, or as many as {@code leasehold.fire.seconds} says;
 * {@code leasehold.fire.seed} repeats the choices of a run, though not their moments.
 */
@DisplayName("Under fire")
class UnderFireTest {
    private static final int MOCS = 50;
    private static final int CLIENTS = 8;
    private static final int INSTANCES = 2;
    private static final int FILES = 2;
    private static final String TTL_MINUTES = "0.05"; // 3 s
    private static final int TTL_MILLIS = 3_000;
    private static final long AFTERWARDS_SECONDS = 60;

    private final long seconds = Long.getLong("leasehold.fire.seconds", 20);
    private final long seed = Long.getLong("leasehold.fire.seed", System.nanoTime());
    private final AtomicReferenceArray<@Nullable Child> instances = new AtomicReferenceArray<>(INSTANCES);
    private final Map<String, Set<String>> finalizedAt = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> firstAnswers = new ConcurrentHashMap<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger faults = new AtomicInteger();
    private int kills;

    @Test
    @Tag("slow")
    @DisplayName(
            "every MOC is finalized once, with one set of side effects and one finalizedAt, and nothing stays locked")
    void underFire() throws Exception {
        try (World world = new World()) {
            Map<String, String> settings = world.environment("FINALIZE_LOCK_TTL_MINUTES", TTL_MINUTES);
            ExecutorService clients = Executors.newFixedThreadPool(MOCS * CLIENTS / 4);
            try {
                instances.set(0, Child.start(settings));
                world.noteChanges();
                instances.set(1, Child.start(settings));
                List<String> ids = create();
                world.s3.judge(judge(seed + 3));
                world.search.judge(judge(seed + 4));
                List<Future<?>> calls = call(ids, clients);
                harm(settings);
                for (Future<?> call : calls) {
                    call.get(AFTERWARDS_SECONDS, TimeUnit.SECONDS);
                }
                judge(world, ids);
            } finally {
                clients.shutdownNow();
                for (int i = 0; i < INSTANCES; i++) {
                    end(i);
                }
            }
        }
    }

    /** Two requests in five fail or are slow. The clients of both servers try each three times. */
    private Function<FaultyHttp.Request, Fate> judge(long own) {
        Random random = new Random(own);
        List<Fate> ways = List.of(Fate.FAIL, Fate.CUT, Fate.LOSE_REPLY, Fate.SLOW);
        return request -> {
            synchronized (random) {
                if (random.nextInt(5) > 1) {
                    return Fate.PASS;
                }
                faults.incrementAndGet();
                return ways.get(random.nextInt(ways.size()));
            }
        };
    }

    private List<String> create() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < MOCS; i++) {
            ids.add(instances
                    .get(0)
                    .calls
                    .create(
                            "Castle " + i,
                            Upload.text("plan.txt", "Castle " + i),
                            Upload.png("castle.png", 500 + i, 300, Color.RED)));
        }
        return ids;
    }

    /** All clients of a MOC begin about together, in the first two thirds of the time. */
    private List<Future<?>> call(List<String> ids, ExecutorService clients) {
        Random random = new Random(seed);
        long begin = System.nanoTime();
        Map<String, Long> starts = new HashMap<>();
        List<String> order = new ArrayList<>(ids);
        order.forEach(id -> starts.put(id, random.nextLong(seconds * 660)));
        order.sort((one, other) -> Long.compare(starts.get(one), starts.get(other)));
        List<Future<?>> calls = new ArrayList<>();
        for (String id : order) {
            for (int i = 0; i < CLIENTS; i++) {
                calls.add(clients.submit(() -> {
                    Child.pause(Math.max(0, starts.get(id) - (System.nanoTime() - begin) / 1_000_000));
                    while (!hasRecord(id)) {
                        Child.pause(ThreadLocalRandom.current().nextInt(50, 300));
                    }
                }));
            }
        }
        return calls;
    }

    private boolean hasRecord(String id) {
        Child instance = instances.get(ThreadLocalRandom.current().nextInt(INSTANCES));
        try {
            Reply reply = instance.calls.finalizeOnce(id, Duration.ofSeconds(20));
            if (!reply.isFinalized()) {
                assertThat(reply.isFinalizing() || reply.status() == 503)
                        .as(reply.text())
                        .isTrue();
                failures.addAndGet(reply.status() == 503 ? 1 : 0);
                return false;
            }
            finalizedAt
                    .computeIfAbsent(id, key -> Collections.synchronizedSet(new HashSet<>()))
                    .add(reply.member("finalizedAt"));
            if (!reply.isIdempotent()) {
                firstAnswers.computeIfAbsent(id, key -> new AtomicInteger()).incrementAndGet();
            }
            return true;
        } catch (UncheckedIOException e) {
            return false; // It was killed.
        }
    }

    private void harm(Map<String, String> settings) {
        Random random = new Random(seed + 1);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            Child.pause(random.nextInt(500, 3_000));
            int victim = random.nextInt(INSTANCES);
            end(victim);
            kills++;
            instances.set(victim, Child.start(settings));
        }
    }

    private void end(int i) {
        Child instance = instances.get(i);
        if (instance != null && instance.isAlive()) {
            instance.close();
        }
    }

    private void judge(World world, List<String> ids) {
        String run = "seed " + seed + ", " + kills + " kills, " + faults + " faults, " + failures + " answers of 503";
        assertThat(kills).as(run).isPositive();
        assertThat(faults.get()).as(run).isPositive();
        Child.pause(TTL_MILLIS);
        assertThat(world.refresh()).as(run + ": documents").isEqualTo(MOCS);
        assertThat(world.count("moc_instructions")).as(run).isEqualTo(MOCS);
        assertThat(world.count("moc_files")).as(run).isEqualTo(MOCS * FILES);
        int retried = 0;
        for (String id : ids) {
            Map<String, @Nullable Object> row = world.row(id);
            String what = run + ", MOC " + id + ": " + row;
            List<String> changes = world.changes(id);
            assertThat(row).as(what).containsEntry("finalizing_at", null).doesNotContainEntry("finalized_at", null);
            assertThat(finalizedAt.get(id)).as(what).hasSize(1);
            assertThat(firstAnswers.getOrDefault(id, new AtomicInteger()).get())
                    .as(what)
                    .isLessThanOrEqualTo(1);
            assertThat(changes.get(changes.size() - 1)).as(what).isEqualTo("finalized");
            assertThat(changes).as(what).containsOnlyOnce("finalized").doesNotContain("changed after it was finalized");
            assertThat(world.objects(id))
                    .as(what)
                    .hasSize(FILES + 1)
                    .contains(String.valueOf(row.get("thumbnail_key")));
            assertThat(world.document(id).get("_version").asLong()).as(what).isEqualTo(world.fence(id));
            retried += changes.size() > 2 ? 1 : 0;
        }
        assertThat(retried).as(run + ": finalized at the second try or later").isPositive();
        System.out.println("Under fire: " + run + ", " + retried + " MOCs finalized at a later try");
    }
}
