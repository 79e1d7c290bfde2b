package dev.leasehold.benchmarks;

import java.util.List;

/** All that can be measured. */
final class Contestants {
    static final List<Contestant> ALL = List.of(
            new FloorContestant(),
            new LineFloorContestant("floor", true),
            new LineFloorContestant("floor-async", false),
            new KeepFloorContestant(),
            new OnceFloorContestant(),
            new ServerLockContestant(),
            new LeaseholdContestant(),
            new LeaseholdStoreContestant(),
            new ShedLockContestant(),
            new SpringContestant());

    private Contestants() {}
}
