package dev.leasehold.jdbc;

import dev.leasehold.wire.Lanes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** One connection with the statements that were prepared on it. Used by one thread at a time. */
final class Lane implements Lanes.Lane {
    private static final int MOST_PREPARED = 64;

    final Dialect dialect;
    private final Loan loan;
    private final Connection connection;
    private final Habits habits;
    private final Map<Sql, PreparedStatement> prepared = new HashMap<>();
    private boolean isInTransaction;
    private boolean hasEnd;
    private long end;
    private long patienceMillis;

    /** What is done on a lane at certain moments, besides the work. */
    record Habits(Loan.Step beforeStatement, Loan.Step afterBegin, Patience patience) {
        static final Habits NONE = new Habits(() -> {}, () -> {}, Patience.ENDLESS);
    }

    /** The limit of a statement, or of its wait for a lock: at most so long (0: for ever), and not longer than its call. */
    record Patience(long mostMillis, Setting setting) {
        /** On a connection whose limits are not ours. */
        static final Patience ENDLESS = new Patience(0, millis -> {});

        /** Sets the limit. */
        interface Setting {
            void set(int millis) throws SQLException;
        }
    }

    Lane(Loan loan, Dialect dialect, Habits habits) {
        this.loan = loan;
        this.connection = loan.connection();
        this.dialect = dialect;
        this.habits = habits;
        this.patienceMillis = habits.patience.mostMillis;
    }

    Lane(Loan loan, Dialect dialect) {
        this(loan, dialect, Habits.NONE);
    }

    /** On a connection that is used as it is. */
    Lane(Connection connection, Dialect dialect) {
        this(Loan.asIs(connection), dialect);
    }

    @Override
    public void begin(long end) {
        this.hasEnd = true;
        this.end = end;
    }

    /**
     * Gives the next statement what is left of the call's time. A little more or less does not matter, so this is hardly
     * ever set.
     */
    private void limitNext() throws SQLException {
        Patience patience = habits.patience;
        if (!hasEnd || patience.mostMillis == 0) {
            return;
        }
        long little = patience.mostMillis / 50;
        long leftMillis = (end - System.nanoTime()) / 1_000_000;
        if (leftMillis <= little) {
            throw new SQLTimeoutException("The earlier statements of this call took all its time.", "HYT00");
        }
        long wanted = Math.min(leftMillis, patience.mostMillis);
        if (Math.abs(wanted - patienceMillis) > little) {
            patience.setting.set((int) wanted);
            patienceMillis = wanted;
        }
    }

    /** Makes an object of the row under the cursor. */
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Something done on a lane. */
    interface Work<T> extends Lanes.Work<Lane, T, SQLException> {}

    Parameters parameters() {
        return new Parameters(dialect);
    }

    <T> List<T> query(Sql sql, Parameters parameters, Reader<T> reader) throws SQLException {
        PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS);
        parameters.bind(sql, statement);
        try (ResultSet rows = statement.executeQuery()) {
            List<T> read = new ArrayList<>(1);
            while (rows.next()) {
                read.add(reader.read(rows));
            }
            return read;
        }
    }

    int update(Sql sql, Parameters parameters) throws SQLException {
        PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS);
        parameters.bind(sql, statement);
        return statement.executeUpdate();
    }

    /**
     * The same for tidying up: if it collides with another change, it is left undone. Trying again would make a verb that
     * has done its work answer for a later state.
     */
    int tidyUp(Sql sql, Parameters parameters) throws SQLException {
        try {
            return update(sql, parameters);
        } catch (SQLException e) {
            if (!isInTransaction && SqlErrors.isConflict(e, dialect)) {
                return 0;
            }
            throw e;
        }
    }

    /** Changes a row and gives the number that came back with the count, in one trip; empty if none was changed. */
    OptionalLong updateForNumber(Sql sql, Parameters parameters) throws SQLException {
        PreparedStatement statement = prepareForNumber(sql);
        parameters.bind(sql, statement);
        return statement.executeUpdate() == 0 ? OptionalLong.empty() : number(statement);
    }

    /** The number that came back with the count of a statement. */
    static OptionalLong number(PreparedStatement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            return keys.next() ? OptionalLong.of(keys.getLong(1)) : OptionalLong.empty();
        }
    }

    PreparedStatement prepare(Sql sql) throws SQLException {
        return prepare(sql, Statement.NO_GENERATED_KEYS);
    }

    PreparedStatement prepareForNumber(Sql sql) throws SQLException {
        return prepare(sql, Statement.RETURN_GENERATED_KEYS);
    }

    private PreparedStatement prepare(Sql sql, int generatedKeys) throws SQLException {
        habits.beforeStatement.run();
        limitNext();
        PreparedStatement known = prepared.get(sql);
        if (known != null) {
            return known;
        }
        if (prepared.size() >= MOST_PREPARED) {
            closeStatements();
        }
        PreparedStatement made = connection.prepareStatement(sql.text(), generatedKeys);
        prepared.put(sql, made);
        return made;
    }

    /** Closes all statements that were prepared here. */
    void closeStatements() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        prepared.clear();
    }

    /** Does the work as one transaction: all of it or nothing. Within a transaction of ours, the work is part of that. */
    <T> T atomically(Work<T> work) throws SQLException {
        if (isInTransaction) {
            return work.run(this);
        }
        begin();
        isInTransaction = true;
        T result;
        try {
            habits.afterBegin.run();
            result = work.run(this);
            end(true);
        } catch (Throwable e) {
            rollBack(e);
            throw e;
        } finally {
            isInTransaction = false;
        }
        return result;
    }

    /** What failed first is what the caller must hear of: SQLite, for one, has rolled back by then if the disk is full. */
    private void rollBack(Throwable cause) {
        try {
            end(false);
        } catch (SQLException | RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private void begin() throws SQLException {
        limitNext();
        if (dialect == Dialect.SQLITE) {
            // Takes the write lock at once: one taken later may be refused although nobody waits.
            execute("BEGIN IMMEDIATE");
        } else {
            connection.setAutoCommit(false);
        }
    }

    private void end(boolean isDone) throws SQLException {
        if (isDone) {
            limitNext();
        }
        if (dialect == Dialect.SQLITE) {
            execute(isDone ? "COMMIT" : "ROLLBACK");
        } else {
            if (isDone) {
                connection.commit();
            } else {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    void execute(String text) throws SQLException {
        loan.execute(text);
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() {
        loan.close();
    }
}
