package dev.leasehold.tck.interleaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What a store in a database must do when a verb meets the open transaction of a rival on the same record.
 *
 * <p>For each {@link VerbForm}, each state of the record {@link Before}, and each change that a rival can make
 * {@link Meanwhile}: the rival makes its change and keeps its transaction open. The verb is asked and seen to wait, or
 * answers. Then the rival commits or rolls back. The answer and the record afterwards must be what
 * {@link dev.leasehold.store.LeaseRules} gives for one of the two orders, the verb before the rival or after it. So no
 * verb answers for a state that no longer is, no hand-over is missed, and a short lock is never an outage.
 *
 * <p>Such a test makes sense only for a store whose verbs can meet a rival halfway. It cannot be written for a store
 * that runs one verb at a time from beginning to end: a Redis script, a file store that holds its lock for the whole
 * verb, a map in memory. There no rival can be between the look at a record and the change of it, and
 * {@link dev.leasehold.tck.LeaseStoreContract} says all there is to say.
 *
 * <p>Cells are independent: they have keys of their own and run in several arenas at once.
 */
public abstract class InterleavingContract {
    private static final Duration CALL = Duration.ofSeconds(5);
    private static final Duration SHORT_CALL = Duration.ofSeconds(1);

    /** Opens one more arena on the data, whose store lets a call take this long. */
    protected abstract Arena arena(Duration callLimit) throws Exception;

    /** How many arenas work at once. */
    protected int arenas() {
        return 8;
    }

    /** The cells that this store is put through; all of them unless this is replaced. */
    protected List<Cell> cells() {
        return Matrix.all();
    }

    /** How many of so many calls must be seen to wait for their rival, or the rivals' locks would be no locks. */
    protected int fewestThatWait(int cells) {
        return cells / 10;
    }

    /** Runs all cells at once; then each verb form is a test. */
    @TestFactory
    final Stream<DynamicTest> interleavings() throws Exception {
        List<Cell> cells = cells();
        Interleavings.Report report = Interleavings.run(() -> arena(CALL), arenas(), cells);
        DynamicTest waits = DynamicTest.dynamicTest(
                "calls are seen to wait",
                () -> assertThat(report.waited())
                        .as("calls that waited in %s cells", report.cells())
                        .isGreaterThanOrEqualTo(fewestThatWait(cells.size())));
        Stream<DynamicTest> verbs = Stream.of(VerbForm.values())
                .filter(verb -> cells.stream().anyMatch(cell -> cell.verb() == verb))
                .map(verb -> DynamicTest.dynamicTest(verb.name(), () -> check(verb, report)));
        return Stream.concat(Stream.of(waits), verbs);
    }

    /** Whether a transaction locks single records. If not, a long one stops every verb, and nothing is asked of them. */
    protected boolean locksRecords() {
        return true;
    }

    @Test
    final void aRecordThatIsLockedForLongIsContention() throws Exception {
        List<Cell> cells = locksRecords() ? Matrix.ofLongLocks() : List.of();
        List<Finding> wrong = Interleavings.runLong(
                        () -> arena(SHORT_CALL), arenas(), cells, SHORT_CALL.multipliedBy(2))
                .findings();
        assertThat(wrong)
                .as("calls that met a lock of two call limits:%s", Finding.text(wrong))
                .isEmpty();
    }

    private static void check(VerbForm verb, Interleavings.Report report) {
        List<Finding> wrong = report.findings().stream()
                .filter(finding -> finding.cell().verb() == verb)
                .toList();
        assertThat(wrong)
                .as("outcomes that no order of verb and rival explains:%s", Finding.text(wrong))
                .isEmpty();
    }
}
