package dev.leasehold.servers.firestore;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.StructuredAggregationQuery;
import com.google.firestore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** BatchGetDocuments, RunQuery and RunAggregationQuery: alone, at a time, or in a transaction. */
final class Reads {
    /** The place where a request reads: in a transaction, or at a time. */
    private record Place(@Nullable Transaction transaction, boolean isNew, Optional<Long> micros) {
        ByteString newId() {
            return transaction != null && isNew ? transaction.id : ByteString.EMPTY;
        }
    }

    /** The documents that a read saw, and the time. */
    private record Seen(List<Version> versions, Timestamp readTime) {}

    private final Engine engine;

    Reads(Engine engine) {
        this.engine = engine;
    }

    List<BatchGetDocumentsResponse> batchGet(BatchGetDocumentsRequest request) {
        String database = Names.checkDatabase(request.getDatabase());
        Set<String> names = new LinkedHashSet<>(request.getDocumentsList());
        names.forEach(name -> Names.checkDocument(name, database));
        Place place = place(
                database,
                request.getTransaction(),
                request.hasNewTransaction() ? request.getNewTransaction() : null,
                request.hasReadTime() ? request.getReadTime() : null);
        Seen seen = documents(place, names);
        List<BatchGetDocumentsResponse> answers = new ArrayList<>();
        if (place.isNew()) {
            answers.add(BatchGetDocumentsResponse.newBuilder()
                    .setTransaction(place.newId())
                    .build());
        }
        for (Version version : seen.versions()) {
            BatchGetDocumentsResponse.Builder answer =
                    BatchGetDocumentsResponse.newBuilder().setReadTime(seen.readTime());
            if (!version.exists()) {
                answer.setMissing(version.name());
            } else {
                answer.setFound(request.hasMask() ? version.toDocument(request.getMask()) : version.toDocument());
            }
            answers.add(answer.build());
        }
        return answers;
    }

    List<RunQueryResponse> runQuery(RunQueryRequest request) {
        Query query = new Query(request.getParent(), request.getStructuredQuery());
        engine.indexes().check(query);
        Place place = place(
                query.database(),
                request.getTransaction(),
                request.hasNewTransaction() ? request.getNewTransaction() : null,
                request.hasReadTime() ? request.getReadTime() : null);
        Seen seen = query(place, query);
        List<RunQueryResponse> answers = new ArrayList<>();
        if (place.isNew()) {
            answers.add(
                    RunQueryResponse.newBuilder().setTransaction(place.newId()).build());
        }
        for (Version version : seen.versions()) {
            answers.add(RunQueryResponse.newBuilder()
                    .setDocument(query.project(version))
                    .setReadTime(seen.readTime())
                    .build());
        }
        answers.add(RunQueryResponse.newBuilder()
                .setReadTime(seen.readTime())
                .setDone(true)
                .build());
        return answers;
    }

    List<RunAggregationQueryResponse> runAggregation(RunAggregationQueryRequest request) {
        StructuredAggregationQuery structure = request.getStructuredAggregationQuery();
        Query query = new Query(request.getParent(), structure.getStructuredQuery());
        Aggregations.check(structure.getAggregationsList());
        engine.indexes().check(query, Aggregations.fields(structure.getAggregationsList()));
        Place place = place(
                query.database(),
                request.getTransaction(),
                request.hasNewTransaction() ? request.getNewTransaction() : null,
                request.hasReadTime() ? request.getReadTime() : null);
        Seen seen = query(place, query);
        return List.of(RunAggregationQueryResponse.newBuilder()
                .setResult(Aggregations.over(seen.versions(), structure.getAggregationsList()))
                .setTransaction(place.newId())
                .setReadTime(seen.readTime())
                .build());
    }

    private Place place(
            String database, ByteString id, @Nullable TransactionOptions options, @Nullable Timestamp readTime) {
        if (options != null) {
            return new Place(engine.begin(database, options), true, Optional.empty());
        }
        if (!id.isEmpty()) {
            return new Place(engine.use(id, database), false, Optional.empty());
        }
        if (readTime != null) {
            long now = engine.clock().readTime();
            long micros = Transactions.checkReadTime(Micros.exact(readTime), now, engine.oldestRead());
            return new Place(null, false, Optional.of(micros));
        }
        return new Place(null, false, Optional.empty());
    }

    private Seen documents(Place place, Set<String> names) {
        Transaction transaction = place.transaction();
        if (transaction != null && transaction.kind == Transaction.Kind.PESSIMISTIC) {
            engine.lock(transaction, names);
        } else if (transaction != null) {
            transaction.names.addAll(names);
        }
        long micros = micros(place);
        List<Version> versions =
                names.stream().map(name -> engine.documents().at(name, micros)).toList();
        return new Seen(versions, Micros.toProto(micros));
    }

    private Seen query(Place place, Query query) {
        Transaction transaction = place.transaction();
        if (transaction != null && transaction.kind == Transaction.Kind.PESSIMISTIC) {
            engine.lock(transaction, query);
        } else if (transaction != null) {
            transaction.queries.add(query);
        }
        long micros = micros(place);
        return new Seen(query.run(engine.documents(), micros), Micros.toProto(micros));
    }

    private long micros(Place place) {
        Transaction transaction = place.transaction();
        if (transaction != null) {
            transaction.lastUsed = engine.clock().now();
            return transaction.kind == Transaction.Kind.PESSIMISTIC
                    ? engine.clock().readTime()
                    : transaction.snapshot(engine.clock());
        }
        return place.micros().orElseGet(engine.clock()::readTime);
    }
}
