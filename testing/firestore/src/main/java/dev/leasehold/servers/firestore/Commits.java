package dev.leasehold.servers.firestore;

import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Carries out the writes of a commit. Used under the engine's lock. */
class Commits {
    /**
     * A commit that is ready to be applied as a whole.
     *
     * @param before the documents as they are
     * @param after those that change, as they will be
     */
    record Staged(Collection<Version> before, Collection<Version> after, List<WriteResult> results) {}

    private final Documents documents;

    Commits(Documents documents) {
        this.documents = documents;
    }

    /** Returns the document that a write is about, or refuses a write that could never be applied. */
    static String check(Write write, String database) {
        Precondition precondition = write.getCurrentDocument();
        if (precondition.hasUpdateTime()) {
            Micros.exact(precondition.getUpdateTime());
        }
        return switch (write.getOperationCase()) {
            case UPDATE -> Names.checkDocument(write.getUpdate().getName(), database);
            case DELETE -> {
                if (write.hasUpdateMask() || write.getUpdateTransformsCount() > 0) {
                    throw Refusals.invalid("A delete has neither mask nor transforms");
                }
                yield Names.checkDocument(write.getDelete(), database);
            }
            case TRANSFORM -> throw Refusals.unimplemented("A write that is only a transform");
            case OPERATION_NOT_SET -> throw Refusals.invalid("A write without an operation");
        };
    }

    /** Works the writes out in order, or refuses all of them. Changes nothing. */
    Staged stage(String database, List<Write> writes, long micros) {
        Map<String, Version> before = new LinkedHashMap<>();
        Map<String, Version> after = new LinkedHashMap<>();
        List<WriteResult> results = new ArrayList<>();
        for (Write write : writes) {
            String name = check(write, database);
            Version current = after.getOrDefault(name, documents.latest(name));
            before.putIfAbsent(name, current);
            checkPrecondition(write.getCurrentDocument(), current);
            WriteResult.Builder result = WriteResult.newBuilder();
            Version changed = write.hasUpdate() ? update(write, current, micros, result) : delete(current, micros);
            if (changed.updated() == micros) {
                after.put(name, changed);
            }
            if (write.hasUpdate()) {
                result.setUpdateTime(Micros.toProto(changed.updated()));
            }
            results.add(result.build());
        }
        return new Staged(before.values(), after.values(), results);
    }

    /** Returns whether something that an optimistic transaction has read is not what it was. */
    boolean isStale(Transaction transaction, ServerClock clock) {
        if (transaction.kind != Transaction.Kind.OPTIMISTIC) {
            return false;
        }
        long snapshot = transaction.snapshot(clock);
        return transaction.names.stream()
                        .anyMatch(name -> documents.latest(name).updated() > snapshot)
                || transaction.queries.stream()
                        .anyMatch(
                                query -> !query.run(documents, snapshot).equals(query.run(documents, Long.MAX_VALUE)));
    }

    /** Returns whether the document's last update was at this time. */
    boolean isUpdatedAt(Version current, long micros) {
        return current.exists() && current.updated() == micros;
    }

    private void checkPrecondition(Precondition precondition, Version current) {
        switch (precondition.getConditionTypeCase()) {
            case EXISTS -> {
                if (precondition.getExists() && !current.exists()) {
                    throw Status.NOT_FOUND
                            .withDescription("No document to update: " + current.name())
                            .asRuntimeException();
                }
                if (!precondition.getExists() && current.exists()) {
                    throw Status.ALREADY_EXISTS
                            .withDescription("Document already exists: " + current.name())
                            .asRuntimeException();
                }
            }
            case UPDATE_TIME -> {
                if (!isUpdatedAt(current, Micros.of(precondition.getUpdateTime()))) {
                    throw Refusals.precondition(
                            "The document was not last updated at the required time: " + current.name());
                }
            }
            case CONDITIONTYPE_NOT_SET -> {}
        }
    }

    private static Version delete(Version current, long micros) {
        return current.exists() ? Version.missing(current.name(), micros) : current;
    }

    private static Version update(Write write, Version current, long micros, WriteResult.Builder result) {
        Map<String, Value> given = Values.stored(write.getUpdate().getFieldsMap());
        Map<String, Value> fields = write.hasUpdateMask()
                ? masked(write.getUpdateMask().getFieldPathsList(), given, current.contents())
                : new TreeMap<>(given);
        result.addAllTransformResults(Transforms.apply(write.getUpdateTransformsList(), fields, micros));
        Sizes.check(current.name(), fields);
        if (current.exists() && fields.equals(current.contents())) {
            return current;
        }
        return new Version(current.name(), Map.copyOf(fields), current.exists() ? current.created() : micros, micros);
    }

    /** Returns the current fields, with those of the mask set as given or removed. */
    private static Map<String, Value> masked(List<String> mask, Map<String, Value> given, Map<String, Value> current) {
        List<FieldPath> paths = mask.stream().map(FieldPath::parse).toList();
        Map<String, Value> fields = new HashMap<>(current);
        for (FieldPath path : paths) {
            long covering =
                    paths.stream().filter(other -> other.isPrefixOf(path)).count();
            if (path.equals(FieldPath.NAME) || covering > 1) {
                throw Refusals.invalid("The mask has a path twice, or a path and a part of it: " + path);
            }
            path.put(fields, path.get(given));
        }
        return fields;
    }
}
