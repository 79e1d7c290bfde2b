package dev.leasehold.jdbc;

import dev.leasehold.once.Work;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.History;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Page;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.wire.Listener;
import dev.leasehold.wire.WakeUps;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Leases in a database: PostgreSQL, MySQL and MariaDB, SQLite, H2.
 *
 * <p>The server's clock decides, read inside the statement that decides. All work is done on a few connections of the
 * store's own, so that no verb joins a transaction of the caller's: a caller that rolls back keeps its lease. Two things
 * do run on the caller's connection, because they are meant to: {@link #fence} and {@link #settle(Connection,
 * SettleRequest)}. Safe for use by many threads.
 */
public final class JdbcLeaseStore implements LeaseStore {
    private static final int MOST_LOOKS = 4;

    private final Database database;
    private final Statements statements;
    private final Acquiring acquiring;
    private final Releasing releasing;
    private final Renewing renewing;
    private final Settling settling;
    private final WakeUps wakeUps;
    private final JdbcHistory history;
    private final @Nullable Listener listener;
    private final String name;

    JdbcLeaseStore(
            String name, Database database, Statements statements, WakeUps wakeUps, @Nullable Listener listener) {
        this.name = name;
        this.database = database;
        this.statements = statements;
        this.wakeUps = wakeUps;
        this.history = new JdbcHistory(database);
        this.listener = listener;
        Dialect dialect = database.dialect;
        Passing passing = new Passing(dialect);
        KeyMemory memory = new KeyMemory();
        Turns turns = new Turns();
        this.acquiring = new Acquiring(statements, dialect, wakeUps.node(), passing, memory, turns);
        this.releasing = new Releasing(statements, dialect, wakeUps, passing, memory, turns);
        this.renewing = new Renewing(dialect);
        this.settling = new Settling(statements, dialect, wakeUps, memory);
    }

    /**
     * A store on Leasehold's tables in this database, which must be there; see {@link #createSchema}. It keeps up to
     * four connections of this source for itself until it is closed; see {@link JdbcLeaseStoreBuilder#connections}. They
     * go back with the settings they had.
     *
     * @throws dev.leasehold.store.StoreException if the tables are missing or of another version, or if a setting of the
     *     database breaks a promise
     */
    public static JdbcLeaseStore of(DataSource source) {
        return builder(source).open();
    }

    /**
     * The same with a JDBC URL, on up to six connections that the store opens for itself. User and password may stand in
     * the URL, or be null and left to the driver.
     */
    public static JdbcLeaseStore of(String url, @Nullable String user, @Nullable String password) {
        return builder(new UrlDataSource(url, user, password)).open();
    }

    public static JdbcLeaseStoreBuilder builder(DataSource source) {
        return new JdbcLeaseStoreBuilder(source);
    }

    /** Creates Leasehold's tables in this database, as far as they are not there yet. */
    public static void createSchema(DataSource source) {
        Schema.create(source);
    }

    /** The same with a JDBC URL. */
    public static void createSchema(String url, @Nullable String user, @Nullable String password) {
        Schema.create(new UrlDataSource(url, user, password));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        if (request.waits() && listener != null) {
            listener.examine();
        }
        return acquiring.acquire(database.forOneCall(), request);
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return renewing.renew(database, leases);
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        return renewing.renew(database, lease, ttl);
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        return releasing.release(database.forOneCall(), request);
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        return settling.settle(database, request);
    }

    /**
     * Settles on the caller's own connection: if the caller's transaction commits, both its effect and the answer are
     * there, otherwise neither. If the result is {@link SettleResult#SUPERSEDED}, somebody else has the record by now,
     * and the caller must roll back. Callers in line for the key learn of it after the commit.
     *
     * @throws IllegalStateException if the connection commits by itself
     */
    public SettleResult settle(Connection connection, SettleRequest request) throws SQLException {
        Transactions.require("settle()", connection, database.dialect);
        return onCallersOwn(connection, lane -> settling.settleWithin(lane, request));
    }

    /**
     * Work that writes its effects in a transaction of the user's database, for {@code Once.run}: its answer is recorded
     * in the same transaction, so that both are there or neither is. If the run was taken over meanwhile, the
     * transaction is rolled back. The source must lead to the database of this store.
     *
     * <p>The transaction is always one of its own: its connection is taken on a thread of the store's, so that a source
     * which gives a thread the connection of that thread's transaction, as frameworks have it, gives another one here. A
     * transaction of the caller's is neither joined nor ended. A source that chooses a database by a thread-local value
     * does not find that value; give the database's own source instead.
     *
     * <p>The transaction runs at READ COMMITTED (on SQLite, at its only level), whatever the source's default: at a
     * stricter level every renewal that falls into the work would make it fail at its end. Work that needs a stricter
     * level sets it first of all, and calls {@link #fence} next; it must then be shorter than the TTL. The connection goes
     * back with the isolation and autocommit it had.
     *
     * <p>On SQLite the work has the write lock of the file from its first statement on, whatever that is: until it ends, no
     * lease in the file is acquired, renewed or released.
     */
    public <R> Work<R> inTransaction(DataSource source, TransactionalWork<R> work) {
        return new InTransaction<>(this, source, work);
    }

    /** The connection outlives the call by far, so its statements are closed here. */
    private <T> T onCallersOwn(Connection connection, Lane.Work<T> work) throws SQLException {
        Lane lane = new Lane(connection, database.dialect);
        try {
            return work.run(lane);
        } finally {
            lane.closeStatements();
        }
    }

    /**
     * Makes the caller's transaction stand or fall with the lease: it is checked on the caller's own connection, and
     * nobody can take the lease over until that transaction ends. The lease is not renewed meanwhile, so the transaction
     * should be shorter than the TTL. On SQLite, which has one writer at a time, no other lease is either.
     *
     * <p>At REPEATABLE READ or SERIALIZABLE this should be the first statement of the transaction. If the lease was
     * renewed after the transaction took its snapshot, the database refuses with SQLSTATE 40001, and the caller rolls
     * back and begins again.
     *
     * @throws StaleLeaseException if the lease is no longer current; the caller must roll back
     * @throws IllegalStateException if the connection commits by itself: the check would protect nothing
     */
    public void fence(Connection connection, LeaseRef lease) throws SQLException {
        Transactions.require("fence()", connection, database.dialect);
        Parameters parameters = new Parameters(database.dialect)
                .key("k", lease.key())
                .text("nonce", lease.nonce())
                .fence("fence", lease.fence())
                .flag("forget", false);
        boolean isCurrent;
        try {
            isCurrent = onCallersOwn(
                    connection,
                    lane -> !lane.query(statements.fence, parameters, row -> true)
                            .isEmpty());
        } catch (SQLException e) {
            throw Transactions.explained(e, lease.key());
        }
        if (!isCurrent) {
            throw new StaleLeaseException(lease);
        }
    }

    boolean isSqlite() {
        return database.dialect == Dialect.SQLITE;
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        return database.run(lane -> find(lane, key));
    }

    /** A record, and how often its line has changed. */
    private record Found(LeaseSnapshot snapshot, long lineChanges) {
        private boolean hasLineOf(Found earlier) {
            return lineChanges == earlier.lineChanges
                    && snapshot.record()
                            .fence()
                            .equals(earlier.snapshot.record().fence());
        }
    }

    /**
     * Record and line as they were at one moment: the line is read between two looks at the record. If it changes all the
     * time, the line may be a moment older than the record.
     */
    private Optional<LeaseSnapshot> find(Lane lane, Key key) throws SQLException {
        Parameters parameters = lane.parameters().key("k", key).text("nonce", null);
        Optional<Found> found = look(lane, parameters);
        for (int round = 1; found.isPresent() && found.get().lineChanges() > 0; round++) {
            List<Place> line = lane.query(statements.line, parameters, Rows::place);
            Optional<Found> again = look(lane, parameters);
            boolean isLast = round == MOST_LOOKS;
            if (again.isPresent() && (isLast || again.get().hasLineOf(found.get()))) {
                LeaseSnapshot snapshot = again.get().snapshot();
                return Optional.of(new LeaseSnapshot(snapshot.record().withLine(line), snapshot.nowMicros()));
            }
            found = again;
        }
        return found.map(Found::snapshot);
    }

    private Optional<Found> look(Lane lane, Parameters parameters) throws SQLException {
        return lane
                .query(
                        statements.glance,
                        parameters,
                        row -> new Found(Rows.snapshot(row, database.dialect, List.of()), row.getLong("waited")))
                .stream()
                .findFirst();
    }

    /** Also ends a page after about 8 MiB of payloads, with at least one record. */
    @Override
    public Page list(ListRequest request) {
        Key after = request.after();
        return database.runAside(lane -> {
            Parameters parameters = lane.parameters()
                    .keyText("after", after == null ? "" : after.value())
                    .keyText("prefix", request.prefix())
                    .keyText("end", Prefix.end(request.prefix()))
                    .number("limit", request.limit() + 1L);
            List<State> states = List.copyOf(request.states());
            for (int i = 0; i < State.values().length; i++) {
                parameters.text("abcde".substring(i, i + 1), i < states.size() ? Rows.code(states.get(i)) : "-");
            }
            List<Long> matching = new ArrayList<>();
            List<LeaseSnapshot> found = lane.query(statements.list, parameters, row -> {
                matching.add(row.getLong("matching"));
                return Rows.snapshot(row, database.dialect, List.of());
            });
            List<LeaseSnapshot> page = found.size() > request.limit() ? found.subList(0, request.limit()) : found;
            boolean hasMore = !matching.isEmpty() && matching.get(0) > page.size();
            return new Page(
                    withLines(lane, page), hasMore ? page.get(page.size() - 1).key() : null);
        });
    }

    private List<LeaseSnapshot> withLines(Lane lane, List<LeaseSnapshot> page) throws SQLException {
        if (page.isEmpty()) {
            return page;
        }
        Parameters parameters = lane.parameters()
                .key("first", page.get(0).key())
                .key("last", page.get(page.size() - 1).key());
        Map<Key, List<Place>> lines = new HashMap<>();
        lane.query(
                statements.lines,
                parameters,
                row -> lines.computeIfAbsent(Rows.key(row, database.dialect), key -> new ArrayList<>())
                        .add(Rows.place(row)));
        return page.stream()
                .map(found -> new LeaseSnapshot(
                        found.record().withLine(lines.getOrDefault(found.key(), List.of())), found.nowMicros()))
                .toList();
    }

    @Override
    public int purge(Duration retained, int limit) {
        List<Key> purgeable = database.runAside(lane -> lane.query(
                statements.purgeable,
                lane.parameters().time("retained", retained).number("limit", limit),
                row -> Rows.key(row, database.dialect)));
        int dropped = 0;
        for (Key key : purgeable) {
            // Between two records the connection is there for other calls.
            dropped += database.runAside(lane -> purge(lane, retained, key)) ? 1 : 0;
        }
        return dropped;
    }

    private boolean purge(Lane lane, Duration retained, Key key) throws SQLException {
        Parameters bounds = lane.parameters().time("retained", retained).key("k", key);
        boolean isDropped = lane.tidyUp(statements.purge, bounds) > 0;
        if (isDropped) {
            Dissolving.clear(lane, statements, bounds);
        }
        return isDropped;
    }

    @Override
    public Optional<Subscription> onWakeUp(Consumer<WakeUp> told) {
        return listener != null && listener.isListening() ? Optional.of(wakeUps.subscribe(told)) : Optional.empty();
    }

    @Override
    public Optional<History> history() {
        return Optional.of(history);
    }

    /** An embedded H2 would be harmed by an interrupt of the calling thread, so it is called from ours. */
    @Override
    public Duration longestCall() {
        return database.dialect == Dialect.H2 ? Micros.FOREVER : database.longestCall();
    }

    /** Closes the store's connections. Leases live on. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close();
        }
        database.close();
    }
}
