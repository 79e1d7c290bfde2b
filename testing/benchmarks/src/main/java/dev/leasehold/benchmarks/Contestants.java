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

    private Contestants() {}
}
