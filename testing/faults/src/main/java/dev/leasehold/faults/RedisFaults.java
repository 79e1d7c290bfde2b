package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.Injection;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What can happen to Redis alone. */
final class RedisFaults {
    private static final double SHARE_TWICE = 0.25;
    private static final Pattern EVICTED = Pattern.compile("evicted_keys:(\\d+)");

    private RedisFaults() {}

    /** Memory is full, and nothing is evicted: as a disk that is full. */
    static Injected fill(Scene scene) {
        RedisServer server = scene.redis();
        server.call("CONFIG", "SET", "maxmemory", "1");
        return () -> {
            int refused = StoreFaults.isRefused(scene) ? 1 : 0;
            server.call("CONFIG", "SET", "maxmemory", "0");
            return new Evidence(refused, "a lease was refused for want of memory (maxmemory 1, noeviction)");
        };
    }

    /** Somebody lets Redis evict what it likes, behind the back of the stores that are open, and memory is short for once. */
    static Injected evict(Scene scene) {
        RedisServer server = scene.redis();
        int before = evicted(server);
        server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        boolean isRefused = isOpeningRefused(scene);
        server.call("CONFIG", "SET", "maxmemory", "1");
        server.call("CONFIG", "SET", "maxmemory", "0");
        server.call("CONFIG", "SET", "maxmemory-policy", "noeviction");
        int evicted = evicted(server) - before;
        return () -> new Evidence(
                isRefused ? evicted : 0, "records evicted; a store that was opened meanwhile refused to work");
    }

    private static boolean isOpeningRefused(Scene scene) {
        try (LeaseStore store = scene.bed().openDirect()) {
            return store.name().isEmpty();
        } catch (StoreException e) {
            return String.valueOf(e.getMessage()).contains("evict");
        }
    }

    private static int evicted(RedisServer server) {
        Matcher found = EVICTED.matcher(server.call("INFO", "stats").toString());
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    /** Copies of requests arrive on connections of their own, up to a TTL later. */
    static Injected replay(Scene scene) {
        String greeting = "AUTH " + scene.redis().password() + "\r\n";
        Injection soon = copy(scene, 0, greeting);
        Injection late = copy(scene, Shift.TTL.toMillis() * 3 / 4, greeting);
        return () -> {
            // What is lifted is sent at once; what is late shall be late.
            int fired = soon.firings() + late.firings();
            soon.lift();
            late.lift();
            return new Evidence(fired, "requests were sent to the server a second time, byte by byte");
        };
    }

    private static Injection copy(Scene scene, long lateMillis, String greeting) {
        Fault.Replay.Via via = Fault.Replay.Via.NEW_CONNECTION;
        Fault fault = new Fault.Replay(via, Duration.ofMillis(lateMillis), greeting);
        return scene.proxy().inject(fault, SHARE_TWICE);
    }
}
