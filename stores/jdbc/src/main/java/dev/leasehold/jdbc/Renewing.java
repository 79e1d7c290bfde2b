package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Renewal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The verb renew, many leases to a statement and in the order of their keys, so that two who renew cannot deadlock.
 *
 * <p>A record that a transaction of somebody's has locked, such as a fenced one, is not waited for: the others would
 * wait with it. It is still its holder's, with the life it has. Since hardly ever one is locked, first a plain statement
 * is sent that fails if one is; only then they are told apart.
 */
final class Renewing {
    private static final int MOST_AT_ONCE = 2_048;

    private final RenewingStatements statements;
    private final Dialect dialect;

    Renewing(Dialect dialect) {
        this.statements = new RenewingStatements(dialect);
        this.dialect = dialect;
    }

    List<Renewal> renew(Database database, List<LeaseRef> leases) {
        List<LeaseRef> sorted =
                leases.stream().sorted(Comparator.comparing(LeaseRef::key)).toList();
        List<Renewal> renewals = new ArrayList<>(leases.size());
        for (int from = 0; from < sorted.size(); from += MOST_AT_ONCE) {
            List<LeaseRef> some = sorted.subList(from, Math.min(sorted.size(), from + MOST_AT_ONCE));
            renewals.addAll(database.runWithoutQueue(lane -> renew(lane, some)));
        }
        return renewals;
    }

    /** Renews one lease with another TTL. The statement computes the expiry once it has locked the record. */
    Optional<Renewal> renew(Database database, LeaseRef lease, Duration ttl) {
        return database.runWithoutQueue(lane -> renew(lane, lease, ttl));
    }

    private Optional<Renewal> renew(Lane lane, LeaseRef lease, Duration ttl) throws SQLException {
        Parameters parameters = lane.parameters()
                .key("k", lease.key())
                .text("nonce", lease.nonce())
                .fence("fence", lease.fence())
                .time("ttl", ttl);
        Renewal renewal = new Renewal(lease, Micros.toDuration(Micros.of(ttl)));
        try {
            return lane.update(statements.withTtlAtOnce, parameters) > 0 ? Optional.of(renewal) : Optional.empty();
        } catch (SQLException e) {
            if (!SqlErrors.isLocked(e, dialect)) {
                throw e;
            }
        }
        Map<LeaseRef, Long> life = new HashMap<>();
        query(lane, statements.stillHeld, List.of(lease), life);
        Long remaining = life.get(lease);
        if (remaining == null) {
            return Optional.empty();
        }
        return remaining > 0
                ? Optional.of(Renewal.notExtended(lease, Micros.toDuration(remaining)))
                : renewDoubtful(lane, renewal, parameters);
    }

    /** Locked, and expired: a rival may be taking it over just now, so it matters how that ends. */
    private Optional<Renewal> renewDoubtful(Lane lane, Renewal renewal, Parameters parameters) throws SQLException {
        try {
            return lane.update(statements.withTtl, parameters) > 0 ? Optional.of(renewal) : Optional.empty();
        } catch (SQLException e) {
            if (!SqlErrors.isLocked(e, dialect)) {
                throw e;
            }
            return Optional.of(Renewal.notExtended(renewal.lease(), Duration.ZERO));
        }
    }

    /** The leases that are still their holder's. */
    private List<Renewal> renew(Lane lane, List<LeaseRef> leases) throws SQLException {
        Map<LeaseRef, Long> extended = new HashMap<>(leases.size() * 2);
        if (!isRenewedAtOnce(lane, leases, extended)) {
            renewAllButLocked(lane, leases, extended);
        }
        List<LeaseRef> others = without(leases, extended);
        Map<LeaseRef, Long> locked = new HashMap<>();
        if (!others.isEmpty()) {
            query(lane, statements.stillHeld, others, locked);
            // Locked, and expired: a rival may be taking it over just now, so it matters how that ends.
            List<LeaseRef> doubtful = others.stream()
                    .filter(lease -> locked.getOrDefault(lease, 1L) <= 0)
                    .toList();
            doubtful.forEach(locked::remove);
            if (!doubtful.isEmpty()) {
                renewDoubtful(lane, doubtful, extended, locked);
            }
        }
        List<Renewal> renewals = new ArrayList<>(extended.size() + locked.size());
        extended.forEach((lease, micros) -> renewals.add(new Renewal(lease, Micros.toDuration(micros))));
        locked.forEach((lease, micros) -> renewals.add(Renewal.notExtended(lease, Micros.toDuration(micros))));
        return renewals;
    }

    /** A lease whose record stays locked is not extended, and has no life left; the others are answered all the same. */
    private void renewDoubtful(
            Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> extended, Map<LeaseRef, Long> locked)
            throws SQLException {
        try {
            renewPatiently(lane, leases, extended);
        } catch (SQLException e) {
            if (!SqlErrors.isLocked(e, dialect)) {
                throw e;
            }
            leases.forEach(lease -> locked.put(lease, 0L));
        }
    }

    /** False, and nothing changed, if one is locked. */
    private boolean isRenewedAtOnce(Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> remaining)
            throws SQLException {
        try {
            switch (dialect) {
                case POSTGRESQL -> renewTogether(lane, statements.arraysAtOnce, leases, remaining);
                case MYSQL -> {
                    update(lane, statements.renewAtOnce, leases);
                    query(lane, statements.renewed, leases, remaining);
                }
                // Without locks on rows, there is nothing to pass by.
                case SQLITE -> renewPatiently(lane, leases, remaining);
                case H2 -> renewOneByOne(lane, leases, remaining);
            }
            return true;
        } catch (SQLException e) {
            if (dialect != Dialect.SQLITE && SqlErrors.isConflict(e, dialect)) {
                return false;
            }
            throw e;
        }
    }

    /**
     * One statement for each lease, and no transaction: H2 has no limit for a transaction whose client stops in the middle,
     * and the records would stay locked. A record that another transaction has locked is passed by after a moment.
     */
    private void renewOneByOne(Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> remaining) throws SQLException {
        for (LeaseRef lease : leases) {
            try {
                if (update(lane, statements.renew, List.of(lease)) > 0) {
                    query(lane, statements.renewed, List.of(lease), remaining);
                }
            } catch (SQLException e) {
                if (!SqlErrors.isConflict(e, dialect)) {
                    throw e;
                }
            }
        }
    }

    private void renewAllButLocked(Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> remaining)
            throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            renewTogether(lane, statements.arraysButLocked, leases, remaining);
        } else {
            lane.atomically(within -> lockAndRenew(within, leases, remaining));
        }
    }

    /** Waits for whoever has a record locked. */
    private void renewPatiently(Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> remaining) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            renewTogether(lane, statements.arraysPatiently, leases, remaining);
        } else {
            update(lane, statements.renew, leases);
            query(lane, statements.renewed, leases, remaining);
        }
    }

    private int lockAndRenew(Lane lane, List<LeaseRef> leases, Map<LeaseRef, Long> remaining) throws SQLException {
        Map<LeaseRef, Long> locked = new HashMap<>();
        query(lane, statements.lock, leases, locked);
        List<LeaseRef> ours = leases.stream().filter(locked::containsKey).toList();
        if (!ours.isEmpty()) {
            update(lane, statements.renew, ours);
        }
        remaining.putAll(locked);
        return ours.size();
    }

    private static List<LeaseRef> without(List<LeaseRef> leases, Map<LeaseRef, Long> known) {
        return known.size() == leases.size()
                ? List.of()
                : leases.stream().filter(lease -> !known.containsKey(lease)).toList();
    }

    private void renewTogether(Lane lane, Sql sql, List<LeaseRef> leases, Map<LeaseRef, Long> remaining)
            throws SQLException {
        Parameters parameters = lane.parameters()
                .texts("k", leases, LeaseRef::key)
                .texts("nonce", leases, LeaseRef::nonce)
                .numbers("fence", leases, lease -> lease.fence().value());
        lane.query(
                sql, parameters, row -> remaining.put(leases.get(row.getInt("number") - 1), row.getLong("remaining")));
    }

    private int update(Lane lane, SqlOfSize sql, List<LeaseRef> leases) throws SQLException {
        int places = SqlOfSize.places(leases.size());
        PreparedStatement statement = lane.prepare(sql.of(places));
        bind(statement, leases, places);
        return statement.executeUpdate();
    }

    private void query(Lane lane, SqlOfSize sql, List<LeaseRef> leases, Map<LeaseRef, Long> remaining)
            throws SQLException {
        int places = SqlOfSize.places(leases.size());
        PreparedStatement statement = lane.prepare(sql.of(places));
        bind(statement, leases, places);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Nonce nonce = Nonce.parse(rows.getString("nonce"));
                LeaseRef lease = new LeaseRef(Rows.key(rows, dialect), nonce, Fence.of(rows.getLong("fence")));
                remaining.put(lease, rows.getLong("remaining"));
            }
        }
    }

    /** The last lease fills the places that are left. */
    private void bind(PreparedStatement statement, List<LeaseRef> leases, int places) throws SQLException {
        int index = 1;
        for (int i = 0; i < places; i++) {
            bindKey(statement, index++, leases.get(Math.min(i, leases.size() - 1)));
        }
        for (int i = 0; i < places; i++) {
            LeaseRef lease = leases.get(Math.min(i, leases.size() - 1));
            bindKey(statement, index++, lease);
            statement.setString(index++, lease.nonce().toString());
            statement.setLong(index++, lease.fence().value());
        }
    }

    private void bindKey(PreparedStatement statement, int index, LeaseRef lease) throws SQLException {
        if (dialect.keys == Dialect.Keys.BYTES) {
            statement.setBytes(index, lease.key().utf8());
        } else {
            statement.setString(index, lease.key().value());
        }
    }
}
