package dev.leasehold.faults;

import dev.leasehold.tck.history.FenceChecker;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import dev.leasehold.tck.history.OverlapChecker;
import java.util.List;
import java.util.Locale;

/**
 * What was seen of another library in one cell. No judgement: it promises other things.
 *
 * @param errors calls to acquire that threw
 * @param told holders that learnt of their loss, when they renewed
 * @param together moments at which two thought themselves the holder of one key
 * @param overtaken writes that got in after a write of somebody who was given the lock later
 */
record PeerReport(
        String peer,
        String fault,
        long seed,
        int fired,
        int grants,
        int errors,
        int told,
        int together,
        int overtaken,
        long recoveryMillis) {
    static PeerReport of(PeerKind peer, FaultCase fault, long seed, Cell.Played played) {
        History history = History.merged(played.histories());
        return new PeerReport(
                peer.title,
                fault.title(),
                seed,
                played.evidence().count(),
                count(history, Kind.ACQUIRED),
                count(history, Kind.UNKNOWN),
                count(history, Kind.LOST),
                OverlapChecker.check(history).size(),
                (int) FenceChecker.check(history).stream()
                        .filter(violation -> violation.promise().equals("S3"))
                        .count(),
                played.recoveryMillis());
    }

    private static int count(History history, Kind kind) {
        return (int)
                history.events().stream().filter(event -> event.kind() == kind).count();
    }

    static String table(List<PeerReport> reports) {
        StringBuilder table = new StringBuilder(
                "| library | fault | grants | acquire threw | told of the loss | two at once | writes of an overtaken holder that"
                        + " got in | back in |\n|---|---|---|---|---|---|---|---|\n");
        for (PeerReport report : reports) {
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %d | %d | %d | %d | %.1f s |%n",
                    report.peer,
                    report.fault,
                    report.grants,
                    report.errors,
                    report.told,
                    report.together,
                    report.overtaken,
                    report.recoveryMillis / 1_000.0));
        }
        return table.toString();
    }
}
