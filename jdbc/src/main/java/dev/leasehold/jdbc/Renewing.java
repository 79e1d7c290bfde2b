package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Renewal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The verb renew, many leases to a statement and in the order of their keys, so that two who renew cannot deadlock.
 *
 * <p>A record that a transaction of somebody's has locked, such as a fenced one, is not waited for: the others would
 * wait with it. It is still its holder's, with the life it has.
 */
final class Renewing {
    private static final int MOST_AT_ONCE = 1_024;

    private final Statements statements;
    private final Dialect dialect;

    Renewing(Statements statements, Dialect dialect) {
        this.statements = statements;
        this.dialect = dialect;
    }

    private record Holder(Key key, String nonce) {
        static Holder of(LeaseRef lease) {
            return new Holder(lease.key(), lease.nonce().toString());
        }
    }

    List<Renewal> renew(Database database, List<LeaseRef> leases) {
        List<LeaseRef> sorted =
                leases.stream().sorted(Comparator.comparing(LeaseRef::key)).toList();
        List<Renewal> renewals = new ArrayList<>(leases.size());
        for (int from = 0; from < sorted.size(); from += MOST_AT_ONCE) {
            List<LeaseRef> some = sorted.subList(from, Math.min(sorted.size(), from + MOST_AT_ONCE));
            Map<Holder, Long> remaining = database.runWithoutQueue(lane -> renew(lane, some));
            for (LeaseRef lease : some) {
                Long micros = remaining.get(Holder.of(lease));
                if (micros != null) {
                    renewals.add(new Renewal(lease, Micros.toDuration(Math.max(0, micros))));
                }
            }
        }
        return renewals;
    }

    /** How long each lease lives that is still its holder's. */
    private Map<Holder, Long> renew(Lane lane, List<LeaseRef> leases) throws SQLException {
        Map<Holder, Long> remaining = new HashMap<>();
        switch (dialect) {
            case POSTGRESQL -> renewTogether(lane, statements.renewTogether(), leases, remaining);
            case MYSQL, H2 -> lane.atomically(within -> lockAndRenew(within, leases, remaining));
            case SQLITE ->
                renewPatiently(lane, leases, remaining); // Without locks on rows, there is nothing to pass by.
        }
        List<LeaseRef> others = without(leases, remaining);
        if (!others.isEmpty()) {
            Map<Holder, Long> held = new HashMap<>();
            query(lane, statements::stillHeld, others, held);
            // Locked, and expired: somebody may be taking it over just now, so it matters how that ends.
            List<LeaseRef> doubtful = others.stream()
                    .filter(lease -> held.getOrDefault(Holder.of(lease), 1L) <= 0)
                    .toList();
            doubtful.forEach(lease -> held.remove(Holder.of(lease)));
            remaining.putAll(held);
            if (!doubtful.isEmpty()) {
                renewPatiently(lane, doubtful, remaining);
            }
        }
        return remaining;
    }

    /** Waits for whoever has a record locked. */
    private void renewPatiently(Lane lane, List<LeaseRef> leases, Map<Holder, Long> remaining) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            renewTogether(lane, statements.renewPatiently(), leases, remaining);
        } else {
            update(lane, leases);
            query(lane, statements::stillHeld, leases, remaining);
        }
    }

    private int lockAndRenew(Lane lane, List<LeaseRef> leases, Map<Holder, Long> remaining) throws SQLException {
        Map<Holder, Long> locked = new HashMap<>();
        query(lane, statements::lockForRenewal, leases, locked);
        List<LeaseRef> ours = leases.stream()
                .filter(lease -> locked.containsKey(Holder.of(lease)))
                .toList();
        if (!ours.isEmpty()) {
            update(lane, ours);
        }
        remaining.putAll(locked);
        return ours.size();
    }

    private static List<LeaseRef> without(List<LeaseRef> leases, Map<Holder, Long> known) {
        return known.size() == leases.size()
                ? List.of()
                : leases.stream()
                        .filter(lease -> !known.containsKey(Holder.of(lease)))
                        .toList();
    }

    private void renewTogether(Lane lane, Sql sql, List<LeaseRef> leases, Map<Holder, Long> remaining)
            throws SQLException {
        Parameters parameters = lane.parameters()
                .texts("k", leases, LeaseRef::key)
                .texts("nonce", leases, LeaseRef::nonce)
                .numbers("fence", leases, lease -> lease.fence().value());
        lane.query(sql, parameters, row -> put(row, remaining));
    }

    private void update(Lane lane, List<LeaseRef> leases) throws SQLException {
        int places = places(leases.size());
        PreparedStatement statement = lane.prepare(statements.renew(places));
        bind(statement, leases, places);
        statement.executeUpdate();
    }

    private void query(Lane lane, IntFunction<Sql> sql, List<LeaseRef> leases, Map<Holder, Long> remaining)
            throws SQLException {
        int places = places(leases.size());
        PreparedStatement statement = lane.prepare(sql.apply(places));
        bind(statement, leases, places);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                put(rows, remaining);
            }
        }
    }

    private boolean put(ResultSet row, Map<Holder, Long> remaining) throws SQLException {
        Holder holder = new Holder(Rows.key(row, dialect), row.getString("nonce"));
        remaining.put(holder, row.getLong("remaining"));
        return true;
    }

    /** The next power of two, so that there are few statements to prepare. */
    static int places(int leases) {
        return leases <= 1 ? 1 : Integer.highestOneBit(leases - 1) << 1;
    }

    /** The last lease fills the places that are left. */
    private void bind(PreparedStatement statement, List<LeaseRef> leases, int places) throws SQLException {
        int index = 1;
        for (int i = 0; i < places; i++) {
            LeaseRef lease = leases.get(Math.min(i, leases.size() - 1));
            if (dialect.keys == Dialect.Keys.BYTES) {
                statement.setBytes(index++, lease.key().utf8());
            } else {
                statement.setString(index++, lease.key().value());
            }
            statement.setString(index++, lease.nonce().toString());
            statement.setLong(index++, lease.fence().value());
        }
    }
}
