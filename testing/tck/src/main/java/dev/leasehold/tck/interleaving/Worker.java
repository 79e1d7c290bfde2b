package dev.leasehold.tck.interleaving;

import dev.leasehold.tck.interleaving.Cell.Memory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** Runs cells in one arena, one after another, or two at a time whose calls go together. */
final class Worker implements AutoCloseable {
    /** Whose call keeps the store's connection busy. */
    private static final Cell BLOCKED = new Cell(VerbForm.ACQUIRE, Before.FREE, Memory.NOTHING, Meanwhile.TAKE, false);

    private final Arena arena;
    private final List<Rival> rivals = new ArrayList<>();
    private int waited;

    Worker(Arena arena) throws Exception {
        this.arena = arena;
        rivals.add(arena.rival());
    }

    /** How many calls were seen to wait for a rival. */
    int waited() {
        return waited;
    }

    boolean batches() {
        return arena.batches();
    }

    /** The rival ends once the call is seen to wait. */
    Optional<Finding> run(Cell cell) {
        return run(cell, bout -> waited += waitFor(List.of(bout)) ? 1 : 0);
    }

    /** The rival keeps its locks for this long, or until the call has answered. */
    Optional<Finding> runLong(Cell cell, Duration lock) {
        return run(cell, bout -> {
            long end = System.nanoTime() + lock.toNanos();
            while (!bout.isAnswered() && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
        });
    }

    /** What happens while the rival's transaction is open. */
    private interface Pause {
        void take(Bout bout) throws Exception;
    }

    private Optional<Finding> run(Cell cell, Pause pause) {
        Bout bout = new Bout(cell, arena, rivals.get(0));
        try {
            bout.prepare();
            bout.beginRival();
            bout.startCall();
            pause.take(bout);
            bout.endRival();
            return bout.judge().map(what -> new Finding(cell, false, what));
        } catch (Exception e) {
            bout.giveUp();
            return Optional.of(new Finding(cell, false, "could not be tried: " + e));
        }
    }

    /** Two cells whose calls find the store busy, so that it sends them together. */
    List<Finding> runTogether(Cell first, Cell second) {
        List<Finding> findings = new ArrayList<>();
        try {
            while (rivals.size() < 3) {
                rivals.add(arena.rival());
            }
            List<Bout> bouts = List.of(new Bout(first, arena, rivals.get(0)), new Bout(second, arena, rivals.get(1)));
            List<Cell> cells = List.of(first, second);
            Bout busy = new Bout(BLOCKED, arena, rivals.get(2));
            try {
                findings.addAll(runBehind(busy, bouts, cells));
            } catch (Exception e) {
                bouts.forEach(Bout::giveUp);
                busy.giveUp();
                throw e;
            }
        } catch (Exception e) {
            findings.add(new Finding(first, true, "could not be tried with " + second + ": " + e));
        }
        return findings;
    }

    private List<Finding> runBehind(Bout busy, List<Bout> bouts, List<Cell> cells) throws Exception {
        busy.prepare();
        for (Bout bout : bouts) {
            bout.prepare();
            bout.beginRival();
        }
        busy.beginRival();
        busy.startCall();
        waitFor(List.of(busy));
        for (Bout bout : bouts) {
            bout.startCall();
        }
        awaitQueue(bouts);
        busy.endRival();
        waited += waitFor(bouts) ? 1 : 0;
        List<Finding> findings = new ArrayList<>();
        for (Bout bout : bouts) {
            bout.endRival();
        }
        for (int i = 0; i < bouts.size(); i++) {
            Cell cell = cells.get(i);
            bouts.get(i).judge().ifPresent(what -> findings.add(new Finding(cell, true, what)));
        }
        busy.judge().ifPresent(what -> findings.add(new Finding(BLOCKED, true, what)));
        return findings;
    }

    /** Waits until all calls queue for the connection; not for long, because the busy call may give it up and try again. */
    private void awaitQueue(List<Bout> bouts) {
        long end = System.nanoTime() + arena.patience().toNanos();
        while (!bouts.stream().allMatch(Bout::isQueuing) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(500_000);
        }
    }

    /** Waits until all calls are answered or one is seen to wait for its rival; whether one was. */
    private boolean waitFor(List<Bout> bouts) throws Exception {
        long end = System.nanoTime() + arena.patience().toNanos();
        while (System.nanoTime() - end < 0) {
            boolean isAnswered = true;
            for (Bout bout : bouts) {
                isAnswered &= bout.isAnswered();
                if (!bout.isAnswered() && bout.isSeenWaiting()) {
                    return true;
                }
            }
            if (isAnswered) {
                return false;
            }
            LockSupport.parkNanos(500_000);
        }
        return false;
    }

    @Override
    public void close() {
        for (Rival rival : rivals) {
            rival.close();
        }
        arena.close();
    }
}
