package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Two instances, 200 analyses, each delivered three times, at any moment and at once, while instances are killed, and
 * stopped for longer than the TTL. Takes 20 s, or as many as {@code leasehold.fire.seconds} says;
 * {@code leasehold.fire.seed} repeats the choices of a run, though not their moments.
 */
abstract class UnderFire {
    private static final int ANALYSES = 200;
    private static final int DELIVERIES = 3;
    private static final int INSTANCES = 2;
    private static final int TTL_SECONDS = 2;
    private static final long AFTERWARDS_SECONDS = 60;

    private final long seconds = Long.getLong("leasehold.fire.seconds", 20);
    private final long seed = Long.getLong("leasehold.fire.seed", System.nanoTime());
    private final AtomicReferenceArray<@Nullable Child> instances = new AtomicReferenceArray<>(INSTANCES);
    private final List<JsonNode> log = new ArrayList<>();
    private final AtomicInteger redeliveries = new AtomicInteger();
    private int kills;
    private int stops;

    abstract Place open();

    @Test
    @Tag("slow")
    @DisplayName(
            "Under fire every analysis is finished once, by the worker that locked it last, and nothing stays locked")
    void underFire() throws Exception {
        try (Place place = open()) {
            Map<String, String> settings = new HashMap<>(place.environment());
            settings.put("ANALYSIS_LOCK_TTL_SECONDS", Integer.toString(TTL_SECONDS));
            ExecutorService queue = Executors.newFixedThreadPool(24);
            try {
                for (int i = 0; i < INSTANCES; i++) {
                    instances.set(i, Child.start("instance", settings));
                }
                List<String> ids = create();
                List<Future<?>> deliveries = deliver(ids, queue);
                harm(settings);
                for (Future<?> delivery : deliveries) {
                    delivery.get(AFTERWARDS_SECONDS, TimeUnit.SECONDS);
                }
                for (int i = 0; i < INSTANCES; i++) {
                    end(i);
                }
                judge(place, ids);
            } finally {
                queue.shutdownNow();
                for (int i = 0; i < INSTANCES; i++) {
                    end(i);
                }
            }
        }
    }

    private List<String> create() {
        Random random = new Random(seed);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < ANALYSES; i++) {
            String text = i % 20 == 0 ? " " : random.nextInt(50, 900) + (random.nextInt(3) > 0 ? " careless" : " ms");
            ids.add(instances.get(0).calls.create(text));
        }
        return ids;
    }

    /** Most deliveries of an analysis come about together, some late; in the first two thirds of the time. */
    private List<Future<?>> deliver(List<String> ids, ExecutorService queue) {
        Random random = new Random(seed + 1);
        long begin = System.nanoTime();
        record Delivery(String id, long at) {}
        List<Delivery> all = new ArrayList<>();
        for (String id : ids) {
            long first = random.nextLong(seconds * 500);
            for (int i = 0; i < DELIVERIES; i++) {
                all.add(new Delivery(id, first + (random.nextInt(3) > 0 ? random.nextInt(50) : random.nextInt(4_000))));
            }
        }
        all.sort((one, other) -> Long.compare(one.at(), other.at()));
        List<Future<?>> deliveries = new ArrayList<>();
        for (Delivery delivery : all) {
            deliveries.add(queue.submit(() -> {
                Child.pause(Math.max(0, delivery.at() - (System.nanoTime() - begin) / 1_000_000));
                while (!isTaken(delivery.id())) {
                    redeliveries.incrementAndGet();
                    Child.pause(ThreadLocalRandom.current().nextInt(20, 300));
                }
            }));
        }
        return deliveries;
    }

    /** As a queue does: 2xx is done, and everything else is sent again. */
    private boolean isTaken(String id) {
        Child instance = instances.get(ThreadLocalRandom.current().nextInt(INSTANCES));
        try {
            Reply reply = instance.calls.deliver(id, Duration.ofSeconds(5));
            assertThat(reply.status()).isIn(200, 500, 503);
            return reply.status() == 200;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private void harm(Map<String, String> settings) {
        Random random = new Random(seed + 2);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            Child.pause(random.nextInt(300, 1_500));
            int victim = random.nextInt(INSTANCES);
            if (kills == stops ? random.nextBoolean() : kills < stops) {
                end(victim);
                instances.set(victim, Child.start("instance", settings));
                kills++;
            } else {
                instances.get(victim).stop();
                Child.pause(TTL_SECONDS * 1_000L + random.nextInt(100, 1_500));
                instances.get(victim).goOn();
                stops++;
            }
        }
    }

    private void end(int i) {
        Child instance = instances.get(i);
        if (instance != null && instance.isAlive()) {
            instance.kill();
            log.addAll(instance.log());
            instance.close();
        }
    }

    private void judge(Place place, List<String> ids) {
        String run = "seed " + seed + ", " + kills + " kills, " + stops + " stops, " + redeliveries + " redeliveries";
        assertThat(kills + stops).as(run).isPositive();
        int retried = 0;
        int failed = 0;
        for (String id : ids) {
            Map<String, @Nullable Object> record = place.read(id);
            String what = run + ", analysis " + id + ": " + record;
            List<Change> changes = place.changes(id).stream().map(Change::of).toList();
            Change last = changes.get(changes.size() - 1);
            Change lock = changes.get(changes.size() - 2);
            List<Long> fences = changes.stream().map(Change::fence).toList();
            assertThat(record.get("status")).as(what).isIn("READY", "FAILED");
            assertThat(record.get("lockOwner")).as(what).isNull();
            assertThat(record.get("lockExpiresAt")).as(what).isNull();
            // One final write, after which nothing is written, and before it only locks.
            assertThat(last.status()).as(what).isEqualTo(record.get("status"));
            assertThat(changes.subList(0, changes.size() - 1))
                    .as(what)
                    .allMatch(change -> change.status().equals("PENDING"));
            // The final write is of the holder with the largest fence, and each fence had one holder.
            assertThat(fences).as(what + changes).isSorted();
            assertThat(lock.owner()).as(what + changes).isNotNull();
            assertThat(last.fence()).as(what + changes).isEqualTo(lock.fence()).isPositive();
            assertThat(holders(changes)).as(what + changes).hasSameSizeAs(Set.copyOf(fences));
            if (last.status().equals("READY")) {
                String writer = String.valueOf(record.get("topWords")).replace("instance ", "");
                assertThat(lock.owner()).as(what).startsWith(writer + "@");
            } else {
                failed++;
            }
            retried += Set.copyOf(fences).size() > 1 ? 1 : 0;
        }
        assertThat(failed).as(run).isGreaterThanOrEqualTo(ANALYSES / 20);
        System.out.println("Under fire: " + run + ", " + retried + " analyses tried more than once, " + failed
                + " failed, " + count("analysis not written") + " done too late, " + count("analysis lost its lock")
                + " told that their lock was lost, " + count("analysis taken over") + " taken over");
    }

    private static Set<String> holders(List<Change> changes) {
        return changes.stream()
                .filter(change -> change.owner() != null)
                .map(change -> change.fence() + " " + change.owner())
                .collect(Collectors.toSet());
    }

    /** A record after a change, as {@link Place#changes} tells it. */
    private record Change(String status, @Nullable String owner, long fence) {
        private static final Pattern TEXT = Pattern.compile("(\\S+)(?: locked by (.*?))?(?: fence (\\d+))?");

        static Change of(String text) {
            Matcher parts = TEXT.matcher(text);
            assertThat(parts.matches()).as(text).isTrue();
            return new Change(
                    parts.group(1), parts.group(2), parts.group(3) == null ? 0 : Long.parseLong(parts.group(3)));
        }
    }

    private long count(String message) {
        return log.stream()
                .filter(line -> line.get("message").asString().startsWith(message))
                .count();
    }
}
