package dev.leasehold.servers.firestore;

import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.TransactionOptions;
import com.google.firestore.v1.Write;
import com.google.protobuf.ByteString;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Documents, transactions and locks behind one lock: each request does its work while it holds that lock, and lets it
 * go only while it waits for a transaction's locks.
 */
final class Engine {
    /** The interval at which a request that waits looks at the server's clock again, which need not follow real time. */
    private static final long LOOK_MILLIS = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Settings settings;
    private final ServerClock clock;
    private final Documents documents = new Documents();
    private final Locks locks;
    private final Commits commits;
    private final Transactions transactions;
    private final Indexes indexes;
    private final @Nullable Journal journal;
    /** The last commit of an earlier run: the journal does not tell what was before it. */
    private final long historyBegins;

    private final List<Runnable> watchers = new CopyOnWriteArrayList<>();

    Engine(Settings settings, Locks locks, Function<Documents, Commits> commits) throws IOException {
        this.settings = settings;
        this.clock = new ServerClock(settings.clock());
        this.locks = locks;
        this.commits = commits.apply(documents);
        this.transactions = new Transactions(settings, clock, locks);
        this.indexes = new Indexes(settings.indexes());
        this.journal = settings.file() == null ? null : Journal.open(settings.file(), settings.sync());
        this.historyBegins = journal == null ? 0 : journal.load(documents);
        clock.startAfter(historyBegins);
    }

    /** Does something that nothing else can interrupt, unless it waits for locks. */
    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Runs a short action after each commit that changes something, on the committing thread and under the lock. */
    Runnable watch(Runnable watcher) {
        watchers.add(watcher);
        return () -> watchers.remove(watcher);
    }

    int waiting() {
        return locked(locks::waiting);
    }

    ServerClock clock() {
        return clock;
    }

    Documents documents() {
        return documents;
    }

    Indexes indexes() {
        return indexes;
    }

    Transaction begin(String database, TransactionOptions options) {
        transactions.expire();
        return transactions.begin(Names.checkDatabase(database), options, oldestRead());
    }

    Transaction use(ByteString id, String database) {
        return transactions.use(id, database);
    }

    void rollback(ByteString id, String database) {
        transactions.rollback(id, database);
        changed.signalAll();
    }

    /** The time before which nothing can be read any more. */
    long oldestRead() {
        return Math.max(historyBegins, clock.now() - Micros.of(settings.timers().history()));
    }

    /** Reads documents for a transaction that locks them. */
    void lock(Transaction transaction, Collection<String> names) {
        Locks.Request request = new Locks.Request(transaction, names, false);
        locks.enter(request);
        try {
            await(request);
            locks.hold(transaction, names);
        } finally {
            locks.leave(request);
            changed.signalAll();
        }
    }

    /** Locks what a query matches now, and keeps others from changing its result. */
    void lock(Transaction transaction, Query query) {
        List<String> names;
        do {
            names = names(query);
            lock(transaction, names);
        } while (!names.equals(names(query)));
        locks.hold(transaction, query);
    }

    private List<String> names(Query query) {
        return query.run(documents, Long.MAX_VALUE).stream().map(Version::name).toList();
    }

    /** Applies all writes or none, and ends the transaction in either case. */
    CommitResponse commit(String database, List<Write> writes, @Nullable Transaction transaction) {
        List<String> names =
                writes.stream().map(write -> Commits.check(write, database)).toList();
        if (transaction != null && transaction.kind == Transaction.Kind.READ_ONLY && !writes.isEmpty()) {
            throw Refusals.invalid("A read-only transaction cannot write");
        }
        Locks.Request request = new Locks.Request(transaction, names, true);
        locks.enter(request);
        try {
            Commits.Staged staged;
            long micros;
            do {
                await(request);
                if (transaction != null && commits.isStale(transaction, clock)) {
                    throw Refusals.contention();
                }
                micros = clock.commitTime();
                staged = commits.stage(database, writes, micros);
                List<Version> touched = new ArrayList<>(staged.before());
                touched.addAll(staged.after());
                request.changes(touched);
            } while (locks.isBlocked(request));
            apply(staged.after(), micros);
            return CommitResponse.newBuilder()
                    .addAllWriteResults(staged.results())
                    .setCommitTime(Micros.toProto(micros))
                    .build();
        } finally {
            locks.leave(request);
            if (transaction != null) {
                transactions.end(transaction);
            }
            changed.signalAll();
        }
    }

    void close() throws IOException {
        if (journal != null) {
            journal.close();
        }
    }

    private void apply(Collection<Version> changes, long micros) {
        if (changes.isEmpty()) {
            return;
        }
        if (journal != null) {
            try {
                journal.append(documents, changes, micros);
            } catch (IOException e) {
                throw Status.INTERNAL
                        .withDescription("The journal cannot be written: " + e)
                        .withCause(e)
                        .asRuntimeException();
            }
        }
        documents.apply(changes);
        documents.forget(oldestRead());
        watchers.forEach(Runnable::run);
    }

    /** Waits until nothing blocks the request. */
    private void await(Locks.Request request) {
        long deadline = clock.now() + Micros.of(settings.timers().lockWait());
        try {
            while (isBlocked(request)) {
                if (clock.now() >= deadline) {
                    giveUp(request, Refusals.contention());
                }
                changed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.UNAVAILABLE
                    .withDescription("The server is closing")
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    /** Returns whether the request must wait; throws if it must give up, as the victim of a deadlock for one. */
    private boolean isBlocked(Locks.Request request) {
        transactions.expire();
        checkWaiter(request);
        if (!locks.isBlocked(request)) {
            return false;
        }
        Transaction victim = locks.victim(request);
        if (victim != null) {
            victim.isVictim = true;
            changed.signalAll();
            checkWaiter(request);
        }
        return true;
    }

    private void checkWaiter(Locks.Request request) {
        Transaction owner = request.owner();
        if (owner != null && owner.hasEnded) {
            throw Refusals.expired();
        }
        if (owner != null && owner.isVictim) {
            giveUp(request, Refusals.contention());
        }
        if (Context.current().isCancelled()) {
            giveUp(
                    request,
                    Status.CANCELLED
                            .withDescription("The client waits no longer")
                            .asRuntimeException());
        }
    }

    private void giveUp(Locks.Request request, StatusRuntimeException reason) {
        Transaction owner = request.owner();
        if (owner != null) {
            transactions.end(owner);
        }
        throw reason;
    }
}
