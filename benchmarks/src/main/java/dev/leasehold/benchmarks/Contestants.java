package dev.leasehold.benchmarks;

import java.util.List;

/** All that can be measured. */
final class Contestants {
    static final List<Contestant> ALL = List.of(
            new FloorContestant(),
            new AsyncFloorContestant(),
            new ServerLockContestant(),
            new LeaseholdContestant(),
            new LeaseholdStoreContestant(),
            new ShedLockContestant(),
            new SpringContestant(),
            new FlockContestant());

    private Contestants() {}
}
