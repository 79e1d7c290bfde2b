package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.WakeUp;
import dev.leasehold.wire.WakeUps;
import java.sql.SQLException;
import java.util.List;

/** Ends a line. Callers of this node are told directly, those of others by NOTIFY. */
final class Dissolving {
    private static final Sql NOTIFY = Sql.of("SELECT pg_notify('leasehold_' || :node, :message)");

    private final Statements statements;
    private final WakeUps wakeUps;

    Dissolving(Statements statements, WakeUps wakeUps) {
        this.statements = statements;
        this.wakeUps = wakeUps;
    }

    /** Somebody in line, and where they wait. */
    private record Waiter(Nonce nonce, String node) {}

    /** Sends everybody in line away, to look for themselves. */
    void dissolve(Lane lane, Key key) throws SQLException {
        Parameters parameters = lane.parameters().key("k", key);
        List<Waiter> waiters = waiters(lane, parameters);
        if (!waiters.isEmpty()) {
            clear(lane, statements, parameters);
        }
        for (Waiter waiter : waiters) {
            if (wakeUps.isOurs(waiter.node())) {
                wakeUps.tell(new WakeUp.LookAgain(key, waiter.nonce()));
            } else {
                tellByNotify(lane, key, waiter);
            }
        }
    }

    /**
     * Takes everybody out of the line of a record that nobody holds; left undone if it collides with another change. On H2
     * the statement may see that nobody holds the record, wait, and take out callers that stand in line for a holder
     * granted meanwhile, so the record is locked first.
     */
    static void clear(Lane lane, Statements statements, Parameters parameters) throws SQLException {
        if (lane.dialect != Dialect.H2) {
            lane.tidyUp(statements.clearLine, parameters);
            return;
        }
        try {
            lane.atomically(within -> {
                within.query(statements.lockRecord, parameters, row -> true);
                return within.update(statements.clearLine, parameters);
            });
        } catch (SQLException e) {
            if (!SqlErrors.isConflict(e, lane.dialect)) {
                throw e;
            }
        }
    }

    /** The same within the caller's transaction: waiters hear of it after the commit, or, without NOTIFY, poll. */
    void dissolveWithin(Lane callersOwn, Key key) throws SQLException {
        Parameters parameters = callersOwn.parameters().key("k", key);
        List<Waiter> waiters = waiters(callersOwn, parameters);
        if (!waiters.isEmpty()) {
            callersOwn.update(statements.clearLine, parameters);
        }
        for (Waiter waiter : waiters) {
            tellByNotify(callersOwn, key, waiter);
        }
    }

    private List<Waiter> waiters(Lane lane, Parameters parameters) throws SQLException {
        return lane.query(
                statements.line,
                parameters,
                row -> new Waiter(Nonce.parse(row.getString("nonce")), row.getString("node")));
    }

    private static void tellByNotify(Lane lane, Key key, Waiter waiter) throws SQLException {
        if (lane.dialect == Dialect.POSTGRESQL) {
            Parameters message =
                    lane.parameters().text("node", waiter.node()).text("message", "L " + waiter.nonce() + " " + key);
            lane.query(NOTIFY, message, row -> waiter);
        }
    }
}
