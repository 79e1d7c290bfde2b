package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Cell;
import dev.leasehold.tck.interleaving.Finding;
import dev.leasehold.tck.interleaving.Interleavings;
import dev.leasehold.tck.interleaving.Matrix;
import dev.leasehold.tck.interleaving.Rival;
import dev.leasehold.tck.interleaving.VerbForm;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("The interleavings contract")
class PlantedInterleavingsTest {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgres(18);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** Opens the store that is tried. */
    private interface Opener {
        LeaseStore open(DataSource source) throws SQLException;
    }

    private record PlainArena(LeaseStore store) implements Arena {
        @Override
        public Rival rival() throws SQLException {
            return new SqlRival(database.source());
        }

        @Override
        public void close() {
            store.close();
        }
    }

    private static List<Finding> findings(Opener opener, Set<VerbForm> verbs) throws Exception {
        List<Cell> cells = Matrix.all().stream()
                .filter(cell -> verbs.contains(cell.verb()) && cell.memory() == Cell.Memory.NOTHING)
                .toList();
        return findings(opener, cells);
    }

    private static List<Finding> findings(Opener opener, List<Cell> cells) throws Exception {
        return Interleavings.run(() -> new PlainArena(opener.open(database.source())), 8, cells)
                .findings();
    }

    private static Set<String> states(List<Finding> findings) {
        return findings.stream()
                .map(finding -> finding.cell().before() + " " + finding.cell().meanwhile())
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("finds nothing in a store that locks, asks the rules and writes")
    void nothing() throws Exception {
        EnumSet<VerbForm> unsupported = EnumSet.of(VerbForm.FIND, VerbForm.PURGE);
        List<Cell> cells = Matrix.all().stream()
                .filter(cell -> !unsupported.contains(cell.verb()))
                .toList();
        assertThat(findings(RulesOnTables::new, Matrix.sample(cells, 800))).isEmpty();
    }

    /** An acquire that looks before it locks, and answers a refusal from that look. */
    private static final class StaleAnswer extends RulesOnTables {
        StaleAnswer(DataSource source) throws SQLException {
            super(source);
        }

        @Override
        public AcquireResult acquire(AcquireRequest request) {
            LeaseRecord seen = look(request);
            return change(request.key(), (record, now) -> {
                LeaseRules.Change<AcquireResult> change = LeaseRules.acquire(record, request, now);
                return change.result() instanceof AcquireResult.Granted
                        ? change
                        : new LeaseRules.Change<>(
                                record, LeaseRules.acquire(seen, request, now).result(), List.of());
            });
        }

        private @Nullable LeaseRecord look(AcquireRequest request) {
            try {
                return session.read(request.key()).orElse(null);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    @DisplayName("finds a grant that is answered from a stale snapshot")
    void staleAnswer() throws Exception {
        List<Finding> found = findings(StaleAnswer::new, Set.of(VerbForm.ACQUIRE_AGAIN));
        assertThat(states(found)).contains("EXPIRED_OURS TAKE", "LIVE_OURS RELEASE", "LIVE_OURS_WAITED FORCE");
    }

    /** A withdrawal that finds the record not held, and then leaves the line without another look. */
    private static final class BlindWithdrawal extends RulesOnTables {
        BlindWithdrawal(DataSource source) throws SQLException {
            super(source);
        }

        @Override
        public ReleaseResult release(ReleaseRequest request) {
            try {
                LeaseRecord seen = session.read(request.key()).orElse(null);
                boolean isHeld =
                        LeaseRules.release(seen, request, session.nowMicros()).result() == ReleaseResult.RELEASED;
                return isHeld ? super.release(request) : leaveLine(request);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private ReleaseResult leaveLine(ReleaseRequest request) {
            return change(
                    request.key(),
                    (record, now) -> new LeaseRules.Change<>(
                            record == null ? null : without(record, request), ReleaseResult.NOT_HELD, List.of()));
        }

        private static LeaseRecord without(LeaseRecord record, ReleaseRequest request) {
            List<Place> line = record.line().stream()
                    .filter(place -> !place.nonce().equals(request.nonce()))
                    .toList();
            return record.withLine(line);
        }
    }

    @Test
    @DisplayName("finds a withdrawal that leaves the key with the caller that withdrew")
    void blindWithdrawal() throws Exception {
        List<Finding> found = findings(BlindWithdrawal::new, Set.of(VerbForm.WITHDRAW));
        assertThat(states(found)).contains("LIVE_OTHER_WE_WAIT RELEASE", "EXPIRED_OTHER_WE_WAIT RELEASE");
    }

    /** A release that reads the line before it locks the record. */
    private static final class EarlyLine extends RulesOnTables {
        EarlyLine(DataSource source) throws SQLException {
            super(source);
        }

        @Override
        public ReleaseResult release(ReleaseRequest request) {
            List<Place> seen = line(request);
            return change(request.key(), (record, now) -> {
                LeaseRules.Change<ReleaseResult> change =
                        LeaseRules.release(record == null ? null : record.withLine(seen), request, now);
                LeaseRecord next = change.record();
                boolean isFree = record != null && next != null && next.tenure() == null;
                // It ends no place that it has not seen.
                return isFree
                        ? new LeaseRules.Change<>(next.withLine(record.line()), change.result(), List.of())
                        : change;
            });
        }

        private List<Place> line(ReleaseRequest request) {
            try {
                return session.read(request.key()).map(LeaseRecord::line).orElse(List.of());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    @DisplayName("finds a hand-over that is missed")
    void missedHandOver() throws Exception {
        List<Finding> found = findings(EarlyLine::new, Set.of(VerbForm.RELEASE, VerbForm.WITHDRAW));
        assertThat(states(found)).contains("LIVE_OURS STAND_IN_LINE");
    }

    /** A renewal that reads the clock before it locks the record. */
    private static final class EarlyClock extends RulesOnTables {
        EarlyClock(DataSource source) throws SQLException {
            super(source);
        }

        @Override
        public List<Renewal> renew(List<LeaseRef> leases) {
            return leases.stream().flatMap(lease -> renew(lease).stream()).toList();
        }

        @Override
        public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
            try {
                long early = session.nowMicros();
                return change(lease.key(), (record, now) -> LeaseRules.renew(record, lease, ttl, early));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private Optional<Renewal> renew(LeaseRef lease) {
            try {
                long early = session.nowMicros();
                return change(lease.key(), (record, now) -> LeaseRules.renew(record, lease, early));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    @DisplayName("finds a renewal that moves the expiry back")
    void earlyClock() throws Exception {
        List<Finding> found = findings(EarlyClock::new, Set.of(VerbForm.RENEW, VerbForm.RENEW_SEVERAL));
        assertThat(states(found)).contains("LIVE_OURS RENEW", "EXPIRED_OURS RENEW");
        found = findings(EarlyClock::new, Set.of(VerbForm.RENEW_WITH_TTL));
        assertThat(states(found)).contains("LIVE_OURS RENEW", "EXPIRED_OURS RENEW");
    }

    /** An acquire that takes a record which another session has locked for an outage. */
    private static final class Impatient extends RulesOnTables {
        Impatient(DataSource source) throws SQLException {
            super(new SessionSource(source, "SET lock_timeout = 30"));
        }

        @Override
        public AcquireResult acquire(AcquireRequest request) {
            try {
                return super.acquire(request);
            } catch (IllegalStateException e) {
                throw new StoreUnavailableException("The record is locked.", e);
            }
        }
    }

    @Test
    @DisplayName("finds contention that is reported as an outage")
    void impatience() throws Exception {
        List<Finding> found = Interleavings.runLong(
                        () -> new PlainArena(new Impatient(database.source())),
                        8,
                        Matrix.ofLongLocks(),
                        Duration.ofMillis(500))
                .findings();
        assertThat(found).anySatisfy(finding -> assertThat(finding.what()).contains("StoreUnavailableException"));
    }
}
