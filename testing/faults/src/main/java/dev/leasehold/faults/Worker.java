package dev.leasehold.faults;

import dev.leasehold.lease.Leases;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.FaultyStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One client, as a process of its own. It serves cell after cell, as it is told by lines on its standard input, and ends
 * when that does:
 *
 * <pre>
 * begin NUMBER CLIENT PREFIX SEED FILE BUG
 *                                        work on the keys under the prefix and write the history to the file, with this
 *                                        bug if it is named: "begun"
 * cling KEY                              take this key and keep it: "clinging"
 * calm                                   the faults are over: "turn NANOS" when it has had a lease since
 * end                                    stop working: "ended", and with what if it failed
 * trouble lost | late | twice | slow MILLIS | over
 *                                        requests and replies go astray in this process: "troubled COUNT"
 * clock                                  "clock WALL-MICROS", as the client sees it
 * </pre>
 *
 * <p>The first line it writes is "ready" and the reading of its monotonic clock.
 */
public final class Worker {
    private final String url;
    private final Clocks clocks;
    private final @Nullable Trouble trouble;
    private final NotingStore store;
    private final ResourceClient resource;
    private String bug = "";
    private Leases leases;
    private @Nullable Shift shift;

    private Worker(String url, Path clocks, int resourcePort, boolean isTroubled) throws Exception {
        this.url = url;
        this.clocks = new Clocks(clocks);
        LeaseStore opened = Stores.open(url);
        FaultyStore faulty = isTroubled ? FaultyStore.inRealTime(opened) : null;
        this.trouble = faulty == null ? null : new Trouble(faulty);
        this.store = new NotingStore(
                faulty == null ? opened : faulty,
                key -> !Shift.isRun(key),
                (key, nonce) -> Optional.ofNullable(shift).ifPresent(present -> present.called(key, nonce)));
        this.leases = client(store);
        this.resource = new ResourceClient(resourcePort);
    }

    /** On MariaDB with a history: appending to it is the only transaction of more than one statement there. */
    private Leases client(LeaseStore of) {
        LeasesBuilder client = Leases.builder(of)
                .clockwork(new ShiftedClockwork(clocks))
                .owner(Owner.of("worker " + ProcessHandle.current().pid()))
                .withoutLog();
        return (url.contains("mariadb") ? client.keepingHistory(Duration.ofDays(1)) : client).build();
    }

    /** What a shift works with. */
    record Workplace(Leases leases, NotingStore store, ResourceClient resource) {}

    /** Another client, if it is to have another bug than the present one. */
    private void plant(String className) throws ReflectiveOperationException {
        if (className.equals(bug)) {
            return;
        }
        leases.close();
        bug = className;
        leases = client(
                className.isEmpty()
                        ? store
                        : Class.forName(className)
                                .asSubclass(Sabotage.class)
                                .getDeclaredConstructor()
                                .newInstance()
                                .store(store, url));
    }

    /** The store's URL, the file of its {@link Clocks}, the port of the resource, whether replies can go astray. */
    public static void main(String[] arguments) throws Exception {
        Worker worker = new Worker(
                arguments[0],
                Path.of(arguments[1]),
                Integer.parseInt(arguments[2]),
                Boolean.parseBoolean(arguments[3]));
        say("ready " + System.nanoTime());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            worker.obey(line.split(" ", -1));
        }
        // Leases are left to their TTL: nobody is there any more who would want to know.
        Runtime.getRuntime().halt(0);
    }

    private void obey(String[] words) throws Exception {
        switch (words[0]) {
            case "begin" -> {
                plant(words[6]);
                shift = Shift.begin(
                        new Workplace(leases, store, resource),
                        Integer.parseInt(words[1]),
                        words[2],
                        words[3],
                        Long.parseLong(words[4]),
                        Path.of(words[5]));
                say("begun");
            }
            case "cling" -> shift().cling(Integer.parseInt(words[1]));
            case "calm" -> shift().calm();
            case "end" -> {
                say(shift().end());
                shift = null;
            }
            case "trouble" -> {
                makeTrouble(words);
                say("troubled " + trouble().struck());
            }
            case "clock" -> say("clock " + (System.currentTimeMillis() * 1_000 + clocks.wallMicros()));
            default -> throw new IllegalArgumentException("Not a command: " + String.join(" ", words));
        }
    }

    private void makeTrouble(String[] words) {
        switch (words[1]) {
            case "lost" -> trouble().lose();
            case "late" -> trouble().delay();
            case "twice" -> trouble().repeat();
            case "slow" -> trouble().slow(Duration.ofMillis(Long.parseLong(words[2])));
            default -> trouble().end();
        }
    }

    private Shift shift() {
        if (shift == null) {
            throw new IllegalStateException("No cell has begun.");
        }
        return shift;
    }

    private Trouble trouble() {
        if (trouble == null) {
            throw new IllegalStateException("This worker was started without trouble.");
        }
        return trouble;
    }

    /** Lines of several threads do not mix. */
    static void say(String line) {
        System.out.println(line);
    }
}
