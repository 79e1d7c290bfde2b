package dev.leasehold.servers.firestore;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A transaction that is under way, and what it has read. Used under the engine's lock. */
final class Transaction {
    /** The ways in which a transaction keeps its reads true until it commits. */
    enum Kind {
        /** Reads one snapshot and writes nothing. */
        READ_ONLY,
        /** Reads one snapshot, which is compared with the documents at commit. */
        OPTIMISTIC,
        /** Locks what it reads. */
        PESSIMISTIC
    }

    final ByteString id;
    final String database;
    final Kind kind;
    /** The time when its first attempt began: the younger of two transactions gives way. */
    final long born;

    final long started;
    final Set<String> names = new HashSet<>();
    final List<Query> queries = new ArrayList<>();
    long lastUsed;
    /** True if it must give way, as part of a deadlock. */
    boolean isVictim;
    /** True once it has committed, was rolled back or has expired. */
    boolean hasEnded;

    private long snapshot;

    Transaction(ByteString id, String database, Kind kind, long born, long now) {
        this.id = id;
        this.database = database;
        this.kind = kind;
        this.born = born;
        this.started = now;
        this.lastUsed = now;
    }

    /** Returns the time at which it reads, which its first read fixes. */
    long snapshot(ServerClock clock) {
        if (snapshot == 0) {
            snapshot = clock.readTime();
        }
        return snapshot;
    }

    void readAt(long micros) {
        snapshot = micros;
    }

    boolean isYoungerThan(Transaction other) {
        return born != other.born ? born > other.born : started > other.started;
    }
}
