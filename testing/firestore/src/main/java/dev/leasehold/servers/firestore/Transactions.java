package dev.leasehold.servers.firestore;

import com.google.firestore.v1.TransactionOptions;
import com.google.firestore.v1.TransactionOptions.ConcurrencyMode;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The transactions that are under way, and the ids of recent ones. Used under the engine's lock. */
final class Transactions {
    private static final int REMEMBERED = 10_000;

    private final Mode mode;
    private final Timers timers;
    private final ServerClock clock;
    private final Locks locks;
    private final Map<ByteString, Transaction> open = new HashMap<>();
    /** The births of ended transactions, for clients that retry them. */
    private final Map<ByteString, Long> ended = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteString, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    Transactions(Settings settings, ServerClock clock, Locks locks) {
        this.mode = settings.mode();
        this.timers = settings.timers();
        this.clock = clock;
        this.locks = locks;
    }

    Transaction begin(String database, TransactionOptions options, long oldestRead) {
        long now = clock.readTime();
        UUID random = UUID.randomUUID();
        ByteString id = ByteString.copyFrom(ByteBuffer.allocate(16)
                .putLong(random.getMostSignificantBits())
                .putLong(random.getLeastSignificantBits())
                .flip());
        ByteString retried = options.getReadWrite().getRetryTransaction();
        Transaction previous = open.get(retried);
        long born = previous != null ? previous.born : ended.getOrDefault(retried, now);
        Transaction transaction = new Transaction(id, database, kind(options), born, now);
        if (options.getReadOnly().hasReadTime()) {
            transaction.readAt(checkReadTime(Micros.exact(options.getReadOnly().getReadTime()), now, oldestRead));
        }
        open.put(id, transaction);
        return transaction;
    }

    /** Returns the open transaction of this id, which counts as used now. */
    Transaction use(ByteString id, String database) {
        expire();
        Transaction transaction = open.get(id);
        if (transaction == null || !transaction.database.equals(database)) {
            throw Refusals.expired();
        }
        transaction.lastUsed = clock.now();
        return transaction;
    }

    /** Rolls back; a transaction that has ended already is left so. */
    void rollback(ByteString id, String database) {
        if (!ended.containsKey(id)) {
            end(use(id, database));
        }
    }

    void end(Transaction transaction) {
        transaction.hasEnded = true;
        open.remove(transaction.id);
        ended.put(transaction.id, transaction.born);
        locks.release(transaction);
    }

    /** Ends what has lasted or idled for too long. */
    void expire() {
        long now = clock.now();
        for (Transaction transaction : List.copyOf(open.values())) {
            if (now - transaction.started >= Micros.of(timers.transaction())
                    || now - transaction.lastUsed >= Micros.of(timers.idle())) {
                end(transaction);
            }
        }
    }

    static long checkReadTime(long micros, long now, long oldest) {
        if (micros > now || micros < oldest) {
            throw Refusals.invalid("The read time is in the future or too old");
        }
        return micros;
    }

    private Transaction.Kind kind(TransactionOptions options) {
        if (options.hasReadOnly()) {
            return Transaction.Kind.READ_ONLY;
        }
        ConcurrencyMode wanted = options.getReadWrite().getConcurrencyMode();
        return switch (wanted) {
            case OPTIMISTIC -> Transaction.Kind.OPTIMISTIC;
            case PESSIMISTIC -> Transaction.Kind.PESSIMISTIC;
            case CONCURRENCY_MODE_UNSPECIFIED ->
                mode == Mode.OPTIMISTIC ? Transaction.Kind.OPTIMISTIC : Transaction.Kind.PESSIMISTIC;
            case UNRECOGNIZED ->
                throw Refusals.unimplemented(
                        "The concurrency mode " + options.getReadWrite().getConcurrencyModeValue());
        };
    }
}
