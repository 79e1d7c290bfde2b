package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.jdbc.RowMemory.Mark;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Renewal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Renews the leases on many rows in two statements: one reads the rows, the other extends those that are live. If it did not
 * extend them all, the rows are read again.
 *
 * <p>The statement waits for no row that another transaction has locked. PostgreSQL passes such rows by. MariaDB fails, and
 * each half of the rows is tried again; a single row that is locked is left to {@link RowRenewing}. The same is done if the
 * database refuses to change one of the rows. So is a row that has
 * expired, that another call of this store is about to change, or that cannot be told by a confirmed mark.
 */
final class RowRenewingMany {
    private static final int MOST_AT_ONCE = 2_048;

    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;
    private final RowRenewing one;

    RowRenewingMany(RowTable table, RowStatements statements, RowMemory memory, RowRenewing one) {
        this.table = table;
        this.statements = statements;
        this.memory = memory;
        this.one = one;
    }

    /** A lease that can go with others. */
    private record Asked(LeaseRef lease, Object row, String keyText) {}

    /** A lease whose row was seen to be its own and live. */
    private record Live(Asked asked, Mark mark, RowSight seen) {}

    /** What became of the leases: empty if one is lost. Those that must go alone are left out. */
    Map<LeaseRef, Optional<Renewal>> renew(Database database, List<LeaseRef> leases) {
        Map<LeaseRef, Optional<Renewal>> renewals = new HashMap<>();
        if (leases.size() == 1 || !table.canPassByMany) {
            return renewals;
        }
        List<Asked> all = asked(leases);
        for (int from = 0; from < all.size(); from += MOST_AT_ONCE) {
            renewals.putAll(inTurn(database, all.subList(from, Math.min(all.size(), from + MOST_AT_ONCE))));
        }
        return renewals;
    }

    /** One lease of each key: another with the same key goes alone. */
    private List<Asked> asked(List<LeaseRef> leases) {
        Map<String, Asked> byKey = new LinkedHashMap<>();
        for (LeaseRef lease : leases) {
            String text = lease.key().value();
            table.row(lease.key())
                    .ifPresent(row -> byKey.putIfAbsent(
                            text,
                            new Asked(
                                    lease,
                                    row,
                                    text.substring(table.mapping.keyPrefix().length()))));
        }
        return List.copyOf(byKey.values());
    }

    /** Renews the leases whose turn is free; leaves the others to their own calls. */
    private Map<LeaseRef, Optional<Renewal>> inTurn(Database database, List<Asked> all) {
        if (!table.isMarkedByTime()) {
            return database.runWithoutQueue(lane -> renew(lane, all));
        }
        List<ReentrantLock> turns = new ArrayList<>();
        try {
            List<Asked> ours = new ArrayList<>();
            for (Asked asked : all) {
                ReentrantLock turn = memory.turn(asked.lease().nonce());
                if (turn.tryLock()) {
                    turns.add(turn);
                    ours.add(asked);
                }
            }
            return ours.isEmpty() ? Map.of() : database.runWithoutQueue(lane -> renew(lane, ours));
        } finally {
            turns.forEach(ReentrantLock::unlock);
        }
    }

    private Map<LeaseRef, Optional<Renewal>> renew(Lane lane, List<Asked> all) throws SQLException {
        Map<String, RowSight> seen = look(lane, all);
        Map<Long, List<Live>> byTtl = new HashMap<>();
        for (Asked asked : all) {
            Optional<Mark> mark =
                    memory.mark(asked.lease().nonce(), asked.lease().fence(), table);
            RowSight sight = seen.get(asked.keyText());
            if (mark.isPresent()
                    && sight != null
                    && isLive(sight, asked.lease(), mark.get())
                    && !isFromTheFuture(sight, mark.get())) {
                byTtl.computeIfAbsent(mark.get().ttlMicros(), ttl -> new ArrayList<>())
                        .add(new Live(asked, mark.get(), sight));
            }
        }
        Map<LeaseRef, Optional<Renewal>> renewals = new HashMap<>();
        for (Map.Entry<Long, List<Live>> group : byTtl.entrySet()) {
            renew(lane, group.getKey(), group.getValue(), renewals);
        }
        return renewals;
    }

    private boolean isLive(RowSight sight, LeaseRef lease, Mark mark) {
        boolean isSure = !table.isMarkedByTime() || Objects.equals(sight.stamp(), mark.confirmed());
        return isSure && one.isHeldBy(sight, lease, mark) && sight.remaining(table) > 0;
    }

    /** The clock was set back: only a statement for this row alone moves its expiry back. */
    private boolean isFromTheFuture(RowSight sight, Mark mark) {
        return Objects.requireNonNull(sight.stamp()) > table.stamp(sight.clock(), mark.ttlMicros());
    }

    /** One moment is written to all rows that are known by it: that for the row whose clock was read first. */
    private void renew(Lane lane, long ttlMicros, List<Live> leases, Map<LeaseRef, Optional<Renewal>> renewals)
            throws SQLException {
        long clock =
                leases.stream().mapToLong(live -> live.seen().clock()).min().orElseThrow();
        long stamp = table.stamp(clock, ttlMicros);
        leases.forEach(live -> memory.perhaps(live.asked().lease().nonce(), stamp));
        extend(lane, ttlMicros, stamp, leases, renewals);
    }

    private void extend(
            Lane lane, long ttlMicros, long stamp, List<Live> leases, Map<LeaseRef, Optional<Renewal>> renewals)
            throws SQLException {
        int extended;
        try {
            extended = lane.update(
                    statements.renewMany.of(statements.places(leases.size())),
                    parameters(lane, ttlMicros, stamp, leases));
        } catch (SQLException e) {
            boolean isRefused = SqlErrors.isRefused(e, table.dialect);
            if (!isRefused && !SqlErrors.isConflict(e, table.dialect)) {
                throw e;
            }
            if (isRefused || table.dialect != Dialect.SQLITE) {
                if (leases.size() > 1) {
                    int half = leases.size() / 2;
                    extend(lane, ttlMicros, stamp, leases.subList(0, half), renewals);
                    extend(lane, ttlMicros, stamp, leases.subList(half, leases.size()), renewals);
                }
                return;
            }
            extended = 0; // Others keep the file busy: the leases have the life that they have.
        }
        if (extended == leases.size()) {
            leases.forEach(live -> renewals.put(live.asked().lease(), extended(live, stamp)));
        } else {
            lookAgain(lane, stamp, leases, renewals);
        }
    }

    private Optional<Renewal> extended(Live live, long stamp) {
        LeaseRef lease = live.asked().lease();
        memory.confirm(lease.nonce(), stamp);
        return Optional.of(new Renewal(lease, life(stamp, live.seen().clock())));
    }

    /** What became of rows that were not all extended. */
    private void lookAgain(Lane lane, long stamp, List<Live> leases, Map<LeaseRef, Optional<Renewal>> renewals)
            throws SQLException {
        Map<String, RowSight> again =
                look(lane, leases.stream().map(Live::asked).toList());
        for (Live live : leases) {
            LeaseRef lease = live.asked().lease();
            RowSight sight = again.get(live.asked().keyText());
            Mark mark = memory.find(lease.nonce()).orElse(live.mark());
            if (sight == null || !one.isHeldBy(sight, lease, mark)) {
                renewals.put(lease, one.lost(lease));
            } else if (Objects.requireNonNull(sight.stamp()) < stamp) {
                renewals.put(lease, Optional.of(one.passedBy(lease, sight)));
            } else {
                memory.confirm(lease.nonce(), Objects.requireNonNull(sight.stamp()));
                renewals.put(
                        lease, Optional.of(new Renewal(lease, Micros.toDuration(Math.max(0, sight.remaining(table))))));
            }
        }
    }

    private Duration life(long stamp, long clock) {
        return Micros.toDuration(
                Math.max(0, stamp + table.mapping.fixedTtlMicros().orElse(0L) - clock));
    }

    /** The rows by their keys. Two rows with one key are left out. */
    private Map<String, RowSight> look(Lane lane, List<Asked> all) throws SQLException {
        Parameters parameters = rows(lane, all);
        Map<String, RowSight> seen = new HashMap<>();
        Set<String> doubled = new HashSet<>();
        for (RowSight sight : lane.query(
                statements.lookAtMany.of(statements.places(all.size())),
                parameters,
                row -> RowSight.read(row, table))) {
            if (seen.put(sight.keyText(), sight) != null) {
                doubled.add(sight.keyText());
            }
        }
        seen.keySet().removeAll(doubled);
        return seen;
    }

    private Parameters rows(Lane lane, List<Asked> all) {
        return statements.rows(
                lane,
                statements.places(all.size()),
                all.stream().map(Asked::row).toList(),
                all.stream().map(Asked::keyText).toList());
    }

    private Parameters parameters(Lane lane, long ttlMicros, long stamp, List<Live> leases) {
        Parameters parameters = rows(lane, leases.stream().map(Live::asked).toList())
                .number("ttl", ttlMicros)
                .number("stamp", stamp);
        if (table.dialect == Dialect.POSTGRESQL) {
            return table.has(Role.NONCE)
                    ? parameters.texts("marks", leases, this::mark)
                    : parameters.numbers("marks", leases, this::mark);
        }
        for (int i = 0; i < statements.places(leases.size()); i++) {
            parameters.value("mark" + i, mark(leases.get(Math.min(i, leases.size() - 1))));
        }
        return parameters;
    }

    /** See {@link RowStatements#mark}. */
    private Object mark(Live live) {
        LeaseRef lease = live.asked().lease();
        if (table.has(Role.NONCE)) {
            return lease.nonce().toString();
        }
        return table.has(Role.FENCE)
                ? lease.fence().value()
                : Objects.requireNonNull(live.seen().stamp());
    }
}
