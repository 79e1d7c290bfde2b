package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.interleaving.Rival;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A rival on rows of the user's, such as a script that knows nothing of Leasehold. */
final class RowRival implements Rival {
    private final RivalSession session;
    private final RivalRows rows;

    RowRival(DataSource source, RivalRows rows) throws SQLException {
        this.session = new RivalSession(source);
        this.rows = rows;
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
        String sql = rows == RivalRows.WORKER_LOCK
                ? "SELECT expires_at AS stamp FROM worker_lock WHERE lock_key = ?"
                : "SELECT stamp, locked_by, lock_fence, lock_nonce FROM jobs WHERE id = ?";
        try (PreparedStatement statement = session.prepare(sql + lock, key.value());
                ResultSet found = statement.executeQuery()) {
            return found.next() ? Optional.of(record(key, found)) : Optional.empty();
        }
    }

    private LeaseRecord record(Key key, ResultSet row) throws SQLException {
        long stamp = row.getLong("stamp");
        boolean isHeld = !row.wasNull();
        Nonce nonce = RivalRows.NOBODY;
        Owner owner = null;
        if (isHeld && rows.keepsHolder()) {
            nonce = Nonce.parse(row.getString("lock_nonce"));
            owner = Owner.of(row.getString("locked_by"));
        }
        return new LeaseRecord(
                key,
                RivalRows.fence(rows.keepsHolder() ? row.getLong("lock_fence") : 1),
                isHeld ? State.HELD : State.FREE,
                isHeld ? new Tenure(nonce, owner, RivalRows.TTL_MICROS, 0) : null,
                null,
                isHeld ? stamp - rows.offset() : 0,
                0,
                Progress.NONE,
                List.of());
    }

    @Override
    public void write(Key key, @Nullable LeaseRecord before, @Nullable LeaseRecord after) throws SQLException {
        String table = rows == RivalRows.WORKER_LOCK ? "worker_lock WHERE lock_key = ?" : "jobs WHERE id = ?";
        if (after == null) {
            session.update("DELETE FROM " + table, key.value());
            return;
        }
        Tenure tenure = after.tenure();
        Long stamp = tenure == null ? null : after.expiryMicros() + rows.offset();
        if (rows == RivalRows.WORKER_LOCK) {
            session.update(
                    before == null
                            ? "INSERT INTO worker_lock (expires_at, lock_key) VALUES (?, ?)"
                            : "UPDATE worker_lock SET expires_at = ? WHERE lock_key = ?",
                    stamp,
                    key.value());
            return;
        }
        Owner owner = tenure == null ? null : tenure.owner();
        session.update(
                before == null
                        ? "INSERT INTO jobs (stamp, locked_by, lock_fence, lock_nonce, id) VALUES (?, ?, ?, ?, ?)"
                        : "UPDATE jobs SET stamp = ?, locked_by = ?, lock_fence = ?, lock_nonce = ? WHERE id = ?",
                stamp,
                owner == null ? null : owner.label(),
                after.fence().value(),
                tenure == null ? null : tenure.nonce().toString(),
                key.value());
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
