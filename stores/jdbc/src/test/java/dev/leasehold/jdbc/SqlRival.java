package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.interleaving.Rival;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A rival on Leasehold's own tables, in plain SQL. It locks the record before it touches the line, and adds one to
 * {@code waited} with each change of the line; a record that comes free has {@code waited = 0}.
 */
final class SqlRival implements Rival {
    private static final String COLUMNS = "state, nonce, tombstone, owner, fence, expiry, ttl, since, cooldown,"
            + " attempts, fingerprint, prev_owner, prev_fence, payload";

    private final RivalSession session;

    SqlRival(DataSource source) throws SQLException {
        this.session = new RivalSession(source);
    }

    @Override
    public Optional<LeaseRecord> lock(Key key) throws SQLException {
        session.begin();
        return find(key, session.forUpdate());
    }

    @Override
    public Optional<LeaseRecord> read(Key key) throws SQLException {
        return find(key, "");
    }

    private Optional<LeaseRecord> find(Key key, String lock) throws SQLException {
        Optional<LeaseRecord> found = Optional.empty();
        String sql = "SELECT 0 AS now, k, " + COLUMNS + " FROM leasehold_lease WHERE k = ?" + lock;
        try (PreparedStatement statement = session.prepare(sql, session.key(key));
                ResultSet rows = statement.executeQuery()) {
            if (rows.next()) {
                found = Optional.of(
                        Rows.snapshot(rows, session.dialect, List.of()).record());
            }
        }
        List<Place> line = new ArrayList<>();
        String places = "SELECT * FROM leasehold_line WHERE k = ? ORDER BY id";
        try (PreparedStatement statement = session.prepare(places, session.key(key));
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                line.add(Rows.place(rows));
            }
        }
        return found.map(record -> record.withLine(line));
    }

    @Override
    public void write(Key key, @Nullable LeaseRecord before, @Nullable LeaseRecord after) throws SQLException {
        if (after == null) {
            session.update("DELETE FROM leasehold_lease WHERE k = ?", session.key(key));
        } else if (before == null) {
            String places = "?, ".repeat(COLUMNS.split(",", -1).length) + "?, "
                    + (after.line().isEmpty() ? 0 : 1);
            session.update(
                    "INSERT INTO leasehold_lease (" + COLUMNS + ", k, waited) VALUES (" + places + ")",
                    values(after, key));
        } else {
            boolean isLineChanged = !before.line().equals(after.line());
            String waited = after.state() == State.FREE ? "0" : isLineChanged ? "waited + 1" : "waited";
            session.update(
                    "UPDATE leasehold_lease SET " + COLUMNS.replace(",", " = ?,") + " = ?, waited = " + waited
                            + " WHERE k = ?",
                    values(after, key));
        }
        writeLine(key, before == null ? List.of() : before.line(), after == null ? List.of() : after.line());
    }

    /** The values of all columns, and the key. */
    private @Nullable Object[] values(LeaseRecord record, Key key) {
        Tenure tenure = record.tenure();
        Progress progress = record.progress();
        Predecessor predecessor = progress.predecessor();
        Payload payload = progress.payload();
        String print = progress.fingerprint();
        boolean hasBytes = print != null && session.dialect == Dialect.MYSQL;
        return new @Nullable Object[] {
            Rows.code(record.state()),
            tenure == null ? null : tenure.nonce().toString(),
            record.tombstone() == null ? null : record.tombstone().toString(),
            tenure == null ? null : label(tenure.owner()),
            record.fence().value(),
            record.expiryMicros(),
            tenure == null ? 0 : tenure.ttlMicros(),
            tenure == null ? 0 : tenure.sinceMicros(),
            tenure == null ? record.cooldownMicros() : tenure.checkpointNumber(),
            progress.tally(),
            hasBytes ? print.getBytes(StandardCharsets.UTF_8) : print,
            predecessor == null ? null : label(predecessor.owner()),
            predecessor == null ? null : predecessor.fence().value(),
            payload == null ? null : payload.bytes(),
            session.key(key)
        };
    }

    private static @Nullable String label(@Nullable Owner owner) {
        return owner == null ? null : owner.label();
    }

    private void writeLine(Key key, List<Place> before, List<Place> after) throws SQLException {
        List<Nonce> had = before.stream().map(Place::nonce).toList();
        List<Nonce> has = after.stream().map(Place::nonce).toList();
        for (Nonce gone : had.stream().filter(nonce -> !has.contains(nonce)).toList()) {
            session.update("DELETE FROM leasehold_line WHERE k = ? AND nonce = ?", session.key(key), gone.toString());
        }
        for (Place place : after) {
            if (!had.contains(place.nonce())) {
                session.update(
                        "INSERT INTO leasehold_line (k, nonce, owner, ttl, since, until, node)"
                                + " VALUES (?, ?, ?, ?, ?, ?, '0123456789abcdef')",
                        session.key(key),
                        place.nonce().toString(),
                        place.owner().label(),
                        place.ttlMicros(),
                        place.sinceMicros(),
                        place.untilMicros());
            } else if (!before.contains(place)) {
                session.update(
                        "UPDATE leasehold_line SET until = ? WHERE k = ? AND nonce = ?",
                        place.untilMicros(),
                        session.key(key),
                        place.nonce().toString());
            }
        }
    }

    @Override
    public void commit() throws SQLException {
        session.end(true);
    }

    @Override
    public void rollback() throws SQLException {
        session.end(false);
    }

    @Override
    public boolean isWaitedFor() throws SQLException {
        return session.isWaitedFor();
    }

    @Override
    public long nowMicros() throws SQLException {
        return session.nowMicros();
    }

    @Override
    public void close() {
        session.close();
    }
}
