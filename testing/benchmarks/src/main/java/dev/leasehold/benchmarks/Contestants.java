package dev.leasehold.benchmarks;

import java.util.List;

/** All that can be measured. */
final class Contestants {
    static final List<Contestant> ALL = List.of(
            new FloorContestant(),
            new RedisFloorContestant(),
            new FirestoreFloorContestant(),
            new LettuceFloorContestant(),
            new AsyncFloorContestant(),
            new ServerLockContestant(),
            new LeaseholdContestant(),
            new LeaseholdStoreContestant(),
            new ShedLockContestant(),
            new SpringContestant(),
            new SpringRedisContestant(),
            new RedissonContestant(false),
            new RedissonContestant(true),
            new FlockContestant());

    /** All that can be measured on the user's own rows, and what it is on Leasehold's own tables. */
    static final List<Contestant> ON_ROWS =
            List.of(new FloorRowsContestant(), new LeaseholdRowsContestant(), new LeaseholdContestant());

    /** All web applications that can be measured. */
    static final List<Contestant> ON_HTTP = List.of(new ControllerContestant(), new AnalysisWorkerContestant());

    private Contestants() {}

    /** Returns the contestants that can take part in a cell. */
    static List<Contestant> of(Cell cell) {
        return cell == Cell.W9 ? ON_HTTP : cell.isOnRows() ? ON_ROWS : ALL;
    }
}
