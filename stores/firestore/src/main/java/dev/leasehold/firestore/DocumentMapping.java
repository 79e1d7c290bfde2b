package dev.leasehold.firestore;

import dev.leasehold.store.Key;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.RecordTraits.Ability;
import dev.leasehold.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a document of the user's own hold a lease, so that the status of a document is checked and the document
 * is locked in one transaction. Immutable; each method gives a changed copy.
 *
 * <p>Needed: the {@link #owner} and the {@link #expiry}. All other fields are optional, and each is worth something: a
 * {@link #fence} grows for ever and can be checked by whatever the holder writes to; a {@link #heartbeat} tells people when
 * the holder was last heard of.
 *
 * <p>A name is that of a field at the top of the document, to the letter: dots and blanks are a part of it.
 */
public final class DocumentMapping {
    private static final int MAX_NAME_BYTES = 1_500;

    /** What a field is for. */
    enum Role {
        OWNER,
        EXPIRY,
        HEARTBEAT,
        FENCE,
        /** Tells that the document is done. */
        DONE,
        /** Tells that the document has failed; may be the same field as {@link #DONE}. */
        FAILED,
        REASON,
        CODE,
        ATTEMPTS;

        /** Whether the field is a part of the lock, which a run does not read. */
        boolean isLock() {
            return this == OWNER || this == EXPIRY || this == HEARTBEAT || this == FENCE;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final String collection;
    private final Map<Role, String> fields;
    private final @Nullable String doneValue;
    private final @Nullable String failedValue;
    private final List<String> reads;
    private final List<String> writes;
    private final boolean isOwnerAsIs;
    private final boolean hasTimestamps;

    private DocumentMapping(Draft draft) {
        this.collection = draft.collection;
        this.fields = Collections.unmodifiableMap(new EnumMap<>(draft.fields));
        this.doneValue = draft.doneValue;
        this.failedValue = draft.failedValue;
        this.reads = List.copyOf(draft.reads);
        this.writes = List.copyOf(draft.writes);
        this.isOwnerAsIs = draft.isOwnerAsIs;
        this.hasTimestamps = draft.hasTimestamps;
    }

    /** Documents of this collection, which may lie in a document: {@code users/7/analyses}. */
    public static DocumentMapping of(String collection) {
        String[] parts = collection.split("/", -1);
        if (parts.length % 2 == 0 || List.of(parts).contains("")) {
            throw new IllegalArgumentException(
                    "A collection is named \"analyses\" or \"users/7/analyses\", not \"" + collection + "\".");
        }
        return new DocumentMapping(new Draft(collection));
    }

    /** The key of the document with this id: the collection and the id, such as {@code analyses/42}. */
    public Key keyOf(String id) {
        return Key.of(collection + "/" + escape(id));
    }

    /** As {@link Key#of(String, String, String...)} escapes a part of a key. */
    private static String escape(String id) {
        return id.equals(".") || id.equals("..")
                ? id.replace(".", "%2E")
                : id.replace("%", "%25").replace("/", "%2F");
    }

    /**
     * The id of the document with this key; empty if no document can have it.
     *
     * @throws StoreException if the key belongs to no document of this collection
     */
    Optional<String> idOf(Key key) {
        String prefix = collection + "/";
        if (!key.value().startsWith(prefix) || key.value().length() == prefix.length()) {
            throw new StoreException("The documents of " + collection + " are leased by keys like " + prefix
                    + "42, which" + " keyOf(id) of the mapping makes. This one is not: " + key);
        }
        String id = key.value()
                .substring(prefix.length())
                .replace("%2F", "/")
                .replace("%2E", ".")
                .replace("%25", "%");
        boolean isId = keyOf(id).equals(key)
                && !id.contains("/")
                && !id.equals(".")
                && !id.equals("..")
                && !id.matches("(?s)__.*__");
        return isId ? Optional.of(id) : Optional.empty();
    }

    /**
     * The text field that holds who has the document. A document without an owner is free, whatever its time says. The owner
     * is kept as {@code label#nonce}, so that the exact holder is known, unless {@link #ownerAsIs} is said.
     */
    public DocumentMapping owner(String field) {
        return with(Role.OWNER, field);
    }

    /**
     * The owner is kept as the caller gave it, for documents whose lock other programs take and release by comparing the
     * owner. The holder is then known by the fence, or without a fence field by owner and expiry together; see
     * {@link DocumentLeaseStore}.
     */
    public DocumentMapping ownerAsIs() {
        return with(draft -> draft.isOwnerAsIs = true);
    }

    /**
     * The field that holds until when a document is locked: text like {@code 2026-01-31T18:05:17.123Z}. Without a value
     * nobody has the document. Text with any offset and any fraction is read, and timestamps of Firestore's too.
     */
    public DocumentMapping expiry(String field) {
        return with(Role.EXPIRY, field);
    }

    /** The field, of the same kind, that is set to the present time by each grant and renewal. */
    public DocumentMapping heartbeat(String field) {
        return with(Role.HEARTBEAT, field);
    }

    /** Times are written as Firestore's own timestamps and not as text. Either is read. */
    public DocumentMapping asTimestamps() {
        return with(draft -> draft.hasTimestamps = true);
    }

    /** The field that holds the fence, a whole number. It is kept when the document is released, and only grows. */
    public DocumentMapping fence(String field) {
        return with(Role.FENCE, field);
    }

    /** A document is done, and never acquired, while this field has this text. A run that succeeds sets it. */
    public DocumentMapping doneWhen(String field, String value) {
        return with(Role.DONE, field).with(draft -> draft.doneValue = value);
    }

    /** A document is done, and never acquired, once this field has a value. A run that succeeds sets the present time. */
    public DocumentMapping doneWhenNotNull(String field) {
        return with(Role.DONE, field).with(draft -> draft.doneValue = null);
    }

    /**
     * A document has failed for good, and is never acquired, while this field has this text. A run whose failure is kept
     * sets it.
     */
    public DocumentMapping failedWhen(String field, String value) {
        return with(Role.FAILED, field).with(draft -> draft.failedValue = value);
    }

    /** The field that is given the message of a failure that is kept. */
    public DocumentMapping reason(String field) {
        return with(Role.REASON, field);
    }

    /** The field that is given the code of a failure that is kept. */
    public DocumentMapping code(String field) {
        return with(Role.CODE, field);
    }

    /**
     * The field of a whole number that counts attempts since the document was last finished or released: each grant adds
     * one; a settlement, or a release that is not for another try, sets it to 0. No value counts as none.
     */
    public DocumentMapping attempts(String field) {
        return with(Role.ATTEMPTS, field);
    }

    /** The fields that a run reads; by default all but those of the lock. */
    public DocumentMapping reads(String field, String... more) {
        return with(draft -> draft.reads = names(field, more));
    }

    /** The fields that a run may write with its result; by default none. */
    public DocumentMapping writes(String field, String... more) {
        return with(draft -> draft.writes = names(field, more));
    }

    private static List<String> names(String field, String... more) {
        List<String> names = new ArrayList<>(List.of(more));
        names.add(0, field);
        names.forEach(DocumentMapping::checkName);
        return names;
    }

    private static void checkName(String name) {
        boolean isLong = name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES;
        if (name.isEmpty() || isLong || name.matches("(?s)__.*__")) {
            throw new IllegalArgumentException("A field in Firestore has a name of 1 to " + MAX_NAME_BYTES
                    + " bytes that is not like __name__; this one is not: \"" + name + "\".");
        }
    }

    private DocumentMapping with(Role role, String field) {
        checkName(field);
        return with(draft -> draft.fields.put(role, field));
    }

    private DocumentMapping with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new DocumentMapping(draft);
    }

    /** A mapping that is being changed. */
    private static final class Draft {
        private final String collection;
        private final Map<Role, String> fields = new EnumMap<>(Role.class);
        private @Nullable String doneValue;
        private @Nullable String failedValue;
        private List<String> reads = List.of();
        private List<String> writes = List.of();
        private boolean isOwnerAsIs;
        private boolean hasTimestamps;

        Draft(String collection) {
            this.collection = collection;
        }

        Draft(DocumentMapping other) {
            collection = other.collection;
            fields.putAll(other.fields);
            doneValue = other.doneValue;
            failedValue = other.failedValue;
            reads = other.reads;
            writes = other.writes;
            isOwnerAsIs = other.isOwnerAsIs;
            hasTimestamps = other.hasTimestamps;
        }
    }

    /** Refuses a mapping that lacks what every document needs. */
    DocumentMapping complete() {
        if (!has(Role.OWNER) || !has(Role.EXPIRY)) {
            throw new IllegalArgumentException("The mapping of " + collection
                    + " has no owner or no expiry field. Add owner(field) and expiry(field).");
        }
        Set<String> seen = new HashSet<>();
        fields.forEach((role, field) -> {
            boolean isMarker = role == Role.FAILED && field.equals(fields.get(Role.DONE)) && doneValue != null;
            if (!isMarker && !seen.add(field)) {
                throw new IllegalArgumentException(
                        "The mapping of " + collection + " uses the field " + field + " twice. Use each field once.");
            }
        });
        writes.stream().filter(seen::contains).findFirst().ifPresent(field -> {
            throw new IllegalArgumentException("A run cannot write the field " + field + " of " + collection
                    + " with its result, because the mapping uses it for something else. Take it out of writes(...).");
        });
        if (has(Role.FAILED) && !has(Role.DONE)) {
            throw new IllegalArgumentException(
                    "The mapping of " + collection + " has failedWhen but no doneWhen. Add doneWhen(field, value).");
        }
        return this;
    }

    String collection() {
        return collection;
    }

    boolean has(Role role) {
        return fields.containsKey(role);
    }

    /** The field's name; empty if the mapping has none. */
    Optional<String> field(Role role) {
        return Optional.ofNullable(fields.get(role));
    }

    Map<Role, String> fields() {
        return fields;
    }

    /** Null if any value means that the document is done. */
    @Nullable
    String doneValue() {
        return doneValue;
    }

    @Nullable
    String failedValue() {
        return failedValue;
    }

    boolean isOwnerAsIs() {
        return isOwnerAsIs;
    }

    boolean hasTimestamps() {
        return hasTimestamps;
    }

    /** Whether a run is given this field. */
    boolean isRead(String field) {
        return reads.isEmpty()
                ? fields.entrySet().stream()
                        .noneMatch(entry ->
                                entry.getKey().isLock() && entry.getValue().equals(field))
                : reads.contains(field);
    }

    List<String> writes() {
        return writes;
    }

    RecordTraits traits() {
        Set<Ability> abilities = EnumSet.noneOf(Ability.class);
        if (has(Role.DONE)) {
            abilities.add(Ability.RUN);
        }
        if (has(Role.FAILED)) {
            abilities.add(Ability.FAIL);
        }
        if (has(Role.ATTEMPTS)) {
            abilities.add(Ability.ATTEMPTS);
        }
        return new RecordTraits(
                collection,
                collection + "/",
                null,
                fields.get(Role.REASON),
                fields.get(Role.CODE),
                Set.copyOf(writes),
                abilities);
    }

    @Override
    public String toString() {
        return collection + fields;
    }
}
