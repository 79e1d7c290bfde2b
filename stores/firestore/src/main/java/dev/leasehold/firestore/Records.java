package dev.leasehold.firestore;

import com.google.cloud.firestore.Blob;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.Tenure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A record as a document: one field for each part, times in microseconds. A part that is not there is no field. */
final class Records {
    static final String KEY = "key";
    static final String EXPIRY = "expiry";

    /** A map from the state's name to the key, so that records of one state can be listed by an index of a single field. */
    static final String LISTED = "listed";

    private static final long VERSION = 1;
    static final int MAX_PAYLOAD = 900 << 10;

    /** Grows with every write: a write that changes nothing would keep the document's update time. */
    private static final String SEQUENCE = "seq";

    private static final String PAYLOAD = "payload";

    private static final Set<String> OWN = Set.of(
            "v",
            SEQUENCE,
            KEY,
            "state",
            "fence",
            "nonce",
            "owner",
            "ttl",
            "since",
            "checkpoint",
            EXPIRY,
            "tombstone",
            "cooldown",
            "attempts",
            "fingerprint",
            "previous",
            PAYLOAD,
            "line",
            LISTED);

    private final Map<String, LeaseField> more;

    /** @param more the user's own fields */
    Records(Map<String, LeaseField> more) {
        this.more = Map.copyOf(more);
    }

    static void checkName(String field) {
        if (field.isEmpty() || OWN.contains(field) || field.startsWith("__")) {
            throw new IllegalArgumentException("The field \"" + field
                    + "\" cannot be added to the documents of leases: " + "Leasehold or Firestore uses that name.");
        }
    }

    /** All fields but the payload, which renewals and purges do not need. */
    static FieldMask withoutPayload() {
        return FieldMask.of(OWN.stream().filter(name -> !name.equals(PAYLOAD)).toArray(String[]::new));
    }

    static FieldPath[] pathsWithoutPayload() {
        return OWN.stream()
                .filter(name -> !name.equals(PAYLOAD))
                .map(FieldPath::of)
                .toArray(FieldPath[]::new);
    }

    /** The record in a document; null if the document does not exist. */
    @Nullable
    LeaseRecord read(DocumentSnapshot document) {
        if (!document.exists()) {
            return null;
        }
        try {
            return record(Objects.requireNonNull(document.getData()));
        } catch (RuntimeException e) {
            throw new StoreException(
                    "The document " + document.getReference().getPath() + " is no record of a lease: " + e.getMessage()
                            + " Correct it or delete it; Leasehold's collection should hold nothing else.",
                    e);
        }
    }

    private static LeaseRecord record(Map<String, Object> data) {
        if (number(data, "v") != VERSION) {
            throw new IllegalArgumentException("it has version " + data.get("v") + ", not " + VERSION + ".");
        }
        State state = State.valueOf(text(data, "state"));
        String nonce = optional(data, "nonce");
        Tenure tenure = nonce == null
                ? null
                : new Tenure(
                        Nonce.parse(nonce),
                        owner(optional(data, "owner")),
                        number(data, "ttl"),
                        number(data, "since"),
                        Math.toIntExact(number(data, "checkpoint")));
        String tombstone = optional(data, "tombstone");
        return new LeaseRecord(
                Key.of(text(data, KEY)),
                Fence.of(number(data, "fence")),
                state,
                tenure,
                tombstone == null ? null : Nonce.parse(tombstone),
                number(data, EXPIRY),
                number(data, "cooldown"),
                Progress.ofTally(
                        Math.toIntExact(number(data, "attempts")),
                        optional(data, "fingerprint"),
                        predecessor(data.get("previous")),
                        data.get(PAYLOAD) instanceof Blob blob ? Payload.of(blob.toBytes()) : null),
                line(data.get("line")));
    }

    private static @Nullable Predecessor predecessor(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        Map<?, ?> map = (Map<?, ?>) value;
        return new Predecessor(owner(optional(map, "owner")), Fence.of(number(map, "fence")));
    }

    private static List<Place> line(@Nullable Object value) {
        List<Place> line = new ArrayList<>();
        for (Object element : value == null ? List.of() : (List<?>) value) {
            Map<?, ?> place = (Map<?, ?>) element;
            line.add(new Place(
                    Nonce.parse(text(place, "nonce")),
                    Owner.of(text(place, "owner")),
                    number(place, "ttl"),
                    optional(place, "fingerprint"),
                    number(place, "since"),
                    number(place, "until")));
        }
        return line;
    }

    private static @Nullable Owner owner(@Nullable String label) {
        return label == null ? null : Owner.of(label);
    }

    private static long number(Map<?, ?> data, String name) {
        if (data.get(name) instanceof Long number) {
            return number;
        }
        throw new IllegalArgumentException("its field \"" + name + "\" is no whole number.");
    }

    private static String text(Map<?, ?> data, String name) {
        if (data.get(name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("its field \"" + name + "\" is no text.");
    }

    private static @Nullable String optional(Map<?, ?> data, String name) {
        return data.get(name) == null ? null : text(data, name);
    }

    /** The fields of a new document. */
    Map<String, Object> created(LeaseRecord record, long now) {
        Map<String, Object> fields = fields(record);
        fields.put(SEQUENCE, 1L);
        more.forEach((name, field) -> {
            Object value = DocumentValues.toFirestore(field.value(record, ReadTime.instant(now)));
            if (value != null) {
                fields.put(name, value);
            }
        });
        return fields;
    }

    /** What has to be written to turn one record into the next. */
    Map<FieldPath, Object> changed(DocumentSnapshot document, LeaseRecord before, LeaseRecord after, long now) {
        Map<String, Object> old = fields(before);
        Map<String, Object> next = fields(after);
        Map<FieldPath, Object> changes = new LinkedHashMap<>();
        next.forEach((name, value) -> {
            if (!value.equals(old.get(name))) {
                changes.put(FieldPath.of(name), value);
            }
        });
        old.keySet().stream()
                .filter(name -> !next.containsKey(name))
                .forEach(name -> changes.put(FieldPath.of(name), FieldValue.delete()));
        Long sequence = document.getLong(SEQUENCE);
        changes.put(FieldPath.of(SEQUENCE), sequence == null ? 1L : sequence + 1);
        more.forEach((name, field) -> {
            Object value = DocumentValues.toFirestore(field.value(after, ReadTime.instant(now)));
            changes.put(FieldPath.of(name), value == null ? FieldValue.delete() : value);
        });
        return changes;
    }

    private static Map<String, Object> fields(LeaseRecord record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("v", VERSION);
        fields.put(KEY, record.key().value());
        fields.put("state", record.state().name());
        fields.put("fence", record.fence().value());
        Tenure tenure = record.tenure();
        if (tenure != null) {
            fields.put("nonce", tenure.nonce().toString());
            put(fields, "owner", label(tenure.owner()));
            fields.put("ttl", tenure.ttlMicros());
            fields.put("since", tenure.sinceMicros());
            fields.put("checkpoint", (long) tenure.checkpointNumber());
        }
        fields.put(EXPIRY, record.expiryMicros());
        Nonce tombstone = record.tombstone();
        put(fields, "tombstone", tombstone == null ? null : tombstone.toString());
        fields.put("cooldown", record.cooldownMicros());
        Progress progress = record.progress();
        fields.put("attempts", (long) progress.tally());
        put(fields, "fingerprint", progress.fingerprint());
        Predecessor previous = progress.predecessor();
        if (previous != null) {
            Map<String, Object> map = new LinkedHashMap<>();
            put(map, "owner", label(previous.owner()));
            map.put("fence", previous.fence().value());
            fields.put("previous", map);
        }
        Payload payload = progress.payload();
        if (payload != null) {
            fields.put(PAYLOAD, blob(payload, record.key()));
        }
        if (!record.line().isEmpty()) {
            fields.put("line", record.line().stream().map(Records::place).toList());
        }
        fields.put(LISTED, Map.of(record.state().name(), record.key().value()));
        return fields;
    }

    private static Blob blob(Payload payload, Key key) {
        if (payload.size() > MAX_PAYLOAD) {
            throw new StoreRefusedException(
                    "An answer or checkpoint in Firestore has at most " + MAX_PAYLOAD
                            + " bytes, because a document has at most 1 MiB. This one has " + payload.size() + ": key "
                            + key
                            + ". Keep the data elsewhere, and a reference to it here.",
                    null);
        }
        return Blob.fromBytes(payload.bytes());
    }

    private static Map<String, Object> place(Place place) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("nonce", place.nonce().toString());
        map.put("owner", place.owner().label());
        map.put("ttl", place.ttlMicros());
        put(map, "fingerprint", place.fingerprint());
        map.put("since", place.sinceMicros());
        map.put("until", place.untilMicros());
        return map;
    }

    private static @Nullable String label(@Nullable Owner owner) {
        return owner == null ? null : owner.label();
    }

    private static void put(Map<String, Object> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
