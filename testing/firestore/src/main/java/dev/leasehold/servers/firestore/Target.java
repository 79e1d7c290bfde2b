package dev.leasehold.servers.firestore;

import com.google.firestore.v1.DocumentChange;
import com.google.firestore.v1.DocumentDelete;
import com.google.firestore.v1.DocumentRemove;
import com.google.firestore.v1.ListenResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** One thing that a stream listens to, and what its client knows of it. Used by one thread at a time. */
final class Target {
    private final int id;
    /** The documents of the target at a time; missing ones only if they are listened to by name. */
    private final BiFunction<Documents, Long, List<Version>> contents;

    private Map<String, Long> known = new LinkedHashMap<>();

    Target(int id, BiFunction<Documents, Long, List<Version>> contents) {
        this.id = id;
        this.contents = contents;
    }

    /** Takes it that the client knows what there was at this time. */
    void resume(Documents documents, long micros) {
        contents.apply(documents, micros).forEach(version -> known.put(version.name(), version.updated()));
    }

    /** Returns what has changed since the client was last told. */
    List<ListenResponse> changes(Documents documents, long micros) {
        List<ListenResponse> changes = new ArrayList<>();
        Map<String, Long> before = known;
        known = new LinkedHashMap<>();
        for (Version version : contents.apply(documents, micros)) {
            known.put(version.name(), version.updated());
            Long seen = before.remove(version.name());
            if (seen == null || seen != version.updated()) {
                changes.add(version.exists() ? changed(version) : gone(version, micros));
            }
        }
        before.keySet().forEach(name -> changes.add(gone(documents.at(name, micros), micros)));
        return changes;
    }

    private ListenResponse changed(Version version) {
        return ListenResponse.newBuilder()
                .setDocumentChange(DocumentChange.newBuilder()
                        .setDocument(version.toDocument())
                        .addTargetIds(id))
                .build();
    }

    /** Deleted, or still there and no longer in the result. */
    private ListenResponse gone(Version version, long micros) {
        ListenResponse.Builder response = ListenResponse.newBuilder();
        if (version.exists()) {
            response.setDocumentRemove(DocumentRemove.newBuilder()
                    .setDocument(version.name())
                    .setReadTime(Micros.toProto(micros))
                    .addRemovedTargetIds(id));
        } else {
            response.setDocumentDelete(DocumentDelete.newBuilder()
                    .setDocument(version.name())
                    .setReadTime(Micros.toProto(micros))
                    .addRemovedTargetIds(id));
        }
        return response.build();
    }
}
