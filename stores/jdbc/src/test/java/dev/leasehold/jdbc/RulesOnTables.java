package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A store that could not be simpler: it locks the record, asks the rules and writes, in one transaction. Planted bugs
 * are made of it.
 */
class RulesOnTables implements LeaseStore {
    final SqlRival session;

    RulesOnTables(DataSource source) throws SQLException {
        this.session = new SqlRival(source);
    }

    /** What the rules make of a record. */
    interface Decision<R> {
        LeaseRules.Change<R> make(@Nullable LeaseRecord record, long now) throws SQLException;
    }

    final <R> R change(Key key, Decision<R> decision) {
        while (true) {
            try {
                return changeOnce(key, decision);
            } catch (SQLException e) {
                // Another session has made the record meanwhile: now it can be locked.
                if (!"23505".equals(e.getSQLState())) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private synchronized <R> R changeOnce(Key key, Decision<R> decision) throws SQLException {
        try {
            LeaseRecord record = session.lock(key).orElse(null);
            LeaseRules.Change<R> change = decision.make(record, session.nowMicros());
            if (!Objects.equals(change.record(), record)) {
                session.write(key, record, change.record());
            }
            session.commit();
            return change.result();
        } finally {
            session.rollback();
        }
    }

    @Override
    public String name() {
        return "rules";
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        return change(request.key(), (record, now) -> LeaseRules.acquire(record, request, now));
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>();
        for (LeaseRef lease : leases) {
            change(lease.key(), (record, now) -> LeaseRules.renew(record, lease, now))
                    .ifPresent(renewals::add);
        }
        return renewals;
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return change(lease.key(), (record, now) -> LeaseRules.renew(record, lease, ttl, now));
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return change(request.key(), (record, now) -> LeaseRules.release(record, request, now));
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return change(request.lease().key(), (record, now) -> LeaseRules.settle(record, request, now));
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Page list(ListRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int purge(Duration retained, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        session.close();
    }
}
