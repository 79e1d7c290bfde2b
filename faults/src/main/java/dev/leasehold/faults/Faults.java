package dev.leasehold.faults;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.util.List;

/** All faults, in the order of the matrix. */
final class Faults {
    private static final Duration TTL = Shift.TTL;
    private static final Duration PAST_TTL = TTL.plusMillis(700);
    private static final Duration HOUR = Duration.ofHours(1);

    private static final String VERY_SLOW = "store slow: 3 TTL (1.25 TTL where there is no network)";

    static final List<FaultCase> ALL = List.of(
            FaultCase.of("kill", "client killed (`kill -9`)", TTL, ProcessFaults::kill),
            FaultCase.of("stop", "client stopped past its TTL (SIGSTOP)", PAST_TTL, ProcessFaults::stop)
                    .expecting(Kind.LOST, Kind.STALE_EFFECT),
            FaultCase.of(
                            "suspend",
                            "client asleep past its TTL, monotonic clock with it",
                            PAST_TTL,
                            ProcessFaults::suspend)
                    .expecting(Kind.LOST, Kind.STALE_EFFECT),
            FaultCase.of("clock-ahead", "client's wall clock 1 h ahead, then back", TTL, ProcessFaults.wallClock(HOUR)),
            FaultCase.of(
                    "clock-behind",
                    "client's wall clock 1 h behind, then back",
                    TTL,
                    ProcessFaults.wallClock(HOUR.negated())),
            FaultCase.of("partition", "partition, both ways", PAST_TTL, NetworkFaults::partition)
                    .where(bed -> bed.proxy().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of("no-replies", "partition, replies only", PAST_TTL, NetworkFaults::withholdReplies)
                    .where(bed -> bed.proxy().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of("lost-replies", "replies lost, the one to COMMIT too", TTL, NetworkFaults.loseReplies(0.15))
                    .where(bed -> bed.proxy().isPresent()),
            FaultCase.of("lost-replies", "replies lost, the one to COMMIT too", TTL, ProcessFaults::loseReplies)
                    .where(bed -> bed.proxy().isEmpty()),
            FaultCase.of("slow", "store slow: 0.9 TTL", PAST_TTL, NetworkFaults.slow(share(0.9)))
                    .where(bed -> bed.proxy().isPresent()),
            FaultCase.of("slow", "store slow: 0.9 TTL", PAST_TTL, ProcessFaults.slowReplies(share(0.9)))
                    .where(bed -> bed.proxy().isEmpty()),
            FaultCase.of("very-slow", VERY_SLOW, PAST_TTL, NetworkFaults.slow(share(3)))
                    .where(bed -> bed.proxy().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of("very-slow", VERY_SLOW, PAST_TTL, ProcessFaults.slowReplies(share(1.25)))
                    .where(bed -> bed.proxy().isEmpty()),
            FaultCase.of("late", "requests that arrive late", PAST_TTL, NetworkFaults.late(share(0.6), TTL, 0.15))
                    .where(bed -> bed.proxy().isPresent()),
            FaultCase.of("restart", "store killed and started again", Duration.ofMillis(300), StoreFaults::restart)
                    .where(bed -> bed.server().isPresent()),
            FaultCase.of("hang", "store stopped past the TTL", PAST_TTL, StoreFaults::pause)
                    .where(bed -> bed.server().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of(
                            "lost-commits",
                            "failover that loses commits",
                            Duration.ofMillis(300),
                            StoreFaults::loseCommits)
                    .waiving("S1", "S7", "justified loss"),
            FaultCase.of(
                            "server-ahead",
                            "store's clock 1 h ahead",
                            Duration.ofMillis(500),
                            StoreFaults.clockForward(HOUR))
                    .where(bed -> bed.table().isPresent())
                    .waiving("S1", "S7", "justified loss"),
            FaultCase.of(
                            "server-behind",
                            "store's clock 1 h back, holders dead",
                            Duration.ofMillis(500),
                            StoreFaults.clockBack(HOUR))
                    .where(bed -> bed.table().isPresent()),
            FaultCase.of("deleted", "records deleted by hand", Duration.ofMillis(500), StoreFaults::deleteRecords)
                    .where(bed -> bed.records().isPresent())
                    .waiving("S1", "S7", "justified loss"),
            FaultCase.of("locked", "records locked by a stranger past the TTL", PAST_TTL, StoreFaults::lockRecords)
                    .where(bed -> bed.table().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of("disk-full", "no room on the disk", PAST_TTL, ProcessFaults::fillDisk)
                    .where(bed -> bed.proxy().isEmpty())
                    .expecting(Kind.LOST),
            FaultCase.of("connections", "no connection to be had", PAST_TTL, StoreFaults::exhaustConnections)
                    .where(bed -> bed.crowd().isPresent())
                    .expecting(Kind.LOST));

    private Faults() {}

    private static Duration share(double ofTtl) {
        return Duration.ofMillis((long) (TTL.toMillis() * ofTtl));
    }

    /** Those that can be injected there, of these names; all if no name is given. */
    static List<FaultCase> on(Bed bed, List<String> names) {
        return ALL.stream()
                .filter(fault -> fault.fits().test(bed))
                .filter(fault -> names.isEmpty() || names.contains(fault.name()))
                .toList();
    }
}
