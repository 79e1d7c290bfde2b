package dev.leasehold.benchmarks;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.protobuf.Message;
import dev.leasehold.servers.firestore.FaultHook;
import dev.leasehold.servers.firestore.FirestoreServer;
import java.util.concurrent.atomic.LongAdder;

/** A Firestore server for one race, and Google's client, which all contestants share. */
final class FirestoreBed extends Bed {
    final Firestore firestore;
    private final FirestoreServer server;

    FirestoreBed(FirestoreServer server) {
        this(
                server,
                FirestoreOptions.newBuilder()
                        .setProjectId("bench")
                        .setEmulatorHost(server.host())
                        .build()
                        .getService());
    }

    private FirestoreBed(FirestoreServer server, Firestore firestore) {
        super(StoreKind.FIRESTORE, "firestore:bench", "", "", () -> {
            try {
                firestore.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                server.close();
            }
        });
        this.firestore = firestore;
        this.server = server;
    }

    static FirestoreBed of(Bed bed) {
        return (FirestoreBed) bed;
    }

    @Override
    void fill(Contestant.Grows contestant, int records) {
        throw new UnsupportedOperationException("W7 does not run on Firestore: its records are made one at a time.");
    }

    /** Returns this bed. From now on its server counts the requests of all its clients. */
    @Override
    CountedWay counted() {
        LongAdder requests = new LongAdder();
        server.disturb(new FaultHook() {
            @Override
            public void before(String method, Message request) {
                requests.increment();
            }
        });
        return new Way(this, requests);
    }

    private record Way(FirestoreBed bed, LongAdder requests) implements CountedWay {
        @Override
        public long count() {
            return requests.sum();
        }

        @Override
        public void close() {
            bed.server.disturb(FaultHook.NONE);
        }
    }
}
