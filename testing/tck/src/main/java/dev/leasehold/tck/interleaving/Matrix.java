package dev.leasehold.tck.interleaving;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.tck.interleaving.Cell.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The cells there are. */
public final class Matrix {
    /** The sample is the same in every run, so that a failure can be seen again. */
    private static final long SEED = 20_260_117;

    private Matrix() {}

    /**
     * All cells in which the rival finds something to do. Commits are tried with all that the store can know of the key
     * where that matters. Rollbacks leave the record as it was, whatever was written: a few changes stand for all.
     */
    public static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (VerbForm verb : VerbForm.values()) {
            for (Before before : Before.values()) {
                add(cells, verb, before);
            }
        }
        return cells;
    }

    private static void add(List<Cell> cells, VerbForm verb, Before before) {
        long now = System.currentTimeMillis() * 1_000;
        long age = verb.ageMicros();
        Cast cast = Cast.of(Key.of("none"), 1, Fence.of(now - age), before.isOurs(), age);
        boolean knowsKey = verb.hasMemory() && before != Before.MISSING;
        List<Memory> memories = knowsKey ? List.of(Memory.values()) : List.of(Memory.NOTHING);
        for (Meanwhile meanwhile : Meanwhile.values()) {
            if (meanwhile.isPossible(before, cast, now)) {
                memories.forEach(memory -> cells.add(new Cell(verb, before, memory, meanwhile, true)));
                if (meanwhile.isTriedWithRollback()) {
                    int turn = (before.name() + meanwhile.name()).length() % memories.size();
                    cells.add(new Cell(verb, before, memories.get(turn), meanwhile, false));
                }
            }
        }
    }

    /**
     * Calls for a record that another transaction keeps locked, such as a fenced one of the user's, and that need not
     * wait for it: refusals of another's lease, also one that has expired meanwhile, and renewals.
     */
    public static List<Cell> ofLongLocks() {
        return all().stream()
                .filter(cell -> cell.meanwhile() == Meanwhile.LOCK && cell.memory() == Memory.NOTHING)
                .filter(cell -> cell.verb().isAcquire()
                        ? cell.before().isHeld() && !cell.before().isOurs() && cell.before() != Before.FUTURE_OTHER
                        : cell.verb().isRenewal() && cell.before() == Before.LIVE_OURS)
                .toList();
    }

    /** About so many of these cells, always the same ones. */
    public static List<Cell> sample(List<Cell> cells, int size) {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Cell> left = new ArrayList<>(cells);
        List<Cell> sample = new ArrayList<>();
        while (sample.size() < size && !left.isEmpty()) {
            int picked = random.nextInt(left.size());
            sample.add(left.get(picked));
            left.set(picked, left.get(left.size() - 1));
            left.remove(left.size() - 1);
        }
        return sample;
    }
}
