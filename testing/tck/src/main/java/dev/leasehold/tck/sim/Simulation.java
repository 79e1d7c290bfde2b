package dev.leasehold.tck.sim;

import dev.leasehold.tck.history.FenceChecker;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.OverlapChecker;
import dev.leasehold.tck.history.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One seed: five clients on one key for ten virtual minutes. For the most part faults strike as the seed has it; at the
 * end they stop, and everyone must get a turn.
 */
public final class Simulation {
    private static final int CLIENTS = 5;
    private static final Duration STORM = Duration.ofSeconds(510);
    private static final Duration CALM = Duration.ofSeconds(90);
    private static final long SECOND = 1_000_000_000L;

    private final World world;

    /**
     * What came out of a seed.
     *
     * @param violations the promises that were broken; empty if all is well
     */
    public record Outcome(long seed, List<Violation> violations, Coverage coverage, History history) {
        public boolean isGood() {
            return violations.isEmpty();
        }

        /** A number that is the same if and, as good as, only if the same things happened. */
        public int fingerprint() {
            return history.events().hashCode();
        }
    }

    private Simulation(long seed, Set<SimFault> allowed, Sabotage sabotage, boolean areRuns) {
        this.world = new World(seed, allowed, sabotage, areRuns);
        for (int i = 0; i < CLIENTS; i++) {
            world.clients.add(new SimClient(world, "client" + i));
        }
    }

    /** Runs a seed with all faults that it draws. */
    public static Outcome run(long seed, Sabotage sabotage) {
        return run(seed, EnumSet.allOf(SimFault.class), sabotage);
    }

    /** Runs a seed with only those of its faults that are allowed. */
    public static Outcome run(long seed, Set<SimFault> allowed, Sabotage sabotage) {
        return new Simulation(seed, allowed, sabotage, false).run(seed);
    }

    /** Runs a seed whose clients do work once, instead of holding a lock. */
    public static Outcome runOnce(long seed, Sabotage sabotage) {
        return new Simulation(seed, EnumSet.allOf(SimFault.class), sabotage, true).run(seed);
    }

    /** Switches faults off one by one as long as the seed still fails, and gives those that it needs. */
    public static Set<SimFault> shrink(long seed, Supplier<Sabotage> sabotage) {
        Set<SimFault> needed = EnumSet.allOf(SimFault.class);
        for (SimFault fault : SimFault.values()) {
            Set<SimFault> fewer = EnumSet.copyOf(needed);
            fewer.remove(fault);
            if (!run(seed, fewer, sabotage.get()).isGood()) {
                needed = fewer;
            }
        }
        return needed;
    }

    private Outcome run(long seed) {
        trouble();
        oversee();
        world.runUntil(STORM.toNanos());
        if (world.violations.isEmpty()) {
            world.calm();
            world.runUntil(STORM.plus(CALM).toNanos());
        }
        if (world.violations.isEmpty()) {
            world.oracles.checkLiveness();
        }
        List<Violation> violations = new ArrayList<>(world.violations);
        violations.addAll(FenceChecker.check(world.history));
        if (world.coverage.of("fault " + SimFault.SUSPEND) == 0
                && world.coverage.of("fault " + SimFault.STORE_CLOCK_STEP) == 0) {
            // What a client thinks while it sleeps is in no history, nor whose lease a step of the store's clock cut
            // short; the check after every event covers those.
            violations.addAll(OverlapChecker.check(world.history));
        }
        return new Outcome(seed, violations, world.coverage, world.history);
    }

    /** What befalls clients and the store, about once a second. */
    private void trouble() {
        world.after(world.millis(200, 1_800), () -> {
            SimClient client = world.clients.get(world.random.nextInt(CLIENTS));
            SimClient.Life life = client.life();
            if (life.isAlive()) {
                if (world.strikes(SimFault.CRASH, 0.04)) {
                    client.crash();
                } else if (world.strikes(SimFault.PAUSE, 0.06)) {
                    life.stop(world.millis(10, 30_000), false);
                } else if (world.strikes(SimFault.SUSPEND, 0.05)) {
                    life.stop(world.millis(10, 30_000), true);
                } else if (world.strikes(SimFault.WALL_CLOCK, 0.03)) {
                    life.clockwork.stepWall();
                }
            }
            if (world.strikes(SimFault.STORE_CLOCK_STEP, 0.01)) {
                world.stepStoreClock();
            }
            if (world.strikes(SimFault.STORE_CLOCK_BACK, 0.004)) {
                world.setStoreClockBack(Duration.ofHours(1));
            }
            if (world.strikes(SimFault.PURGE, 0.5)) {
                world.coverage.count(world.store.purge(world.retained(), 100) > 0 ? "purged" : "nothing to purge");
                world.oracles.changed(null);
            }
            if (!world.isCalm()) {
                trouble();
            }
        });
    }

    private void oversee() {
        world.after(SECOND / 2, () -> {
            world.oracles.checkJustified();
            oversee();
        });
    }
}
