package dev.leasehold.firestore;

import com.google.cloud.firestore.DocumentSnapshot;
import dev.leasehold.firestore.DocumentMapping.Role;
import dev.leasehold.firestore.DocumentMemory.Mark;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A document of the user's as it was at one moment of the server's clock, read as a lease. */
final class DocumentSight {
    /** Marks a nonce that was made up for a holder whose own is not known. Nonces are random, so none is like it. */
    private static final long MADE_UP = 0x6c65_6173_0000_0000L;

    private static final int NONCE_LENGTH = 33;
    private static final long MOST = Micros.FOREVER.toSeconds() * 2_000_000;

    /** The TTL for renewing a lease whose own TTL is unknown. */
    private static final long UNKNOWN_TTL = Micros.of(Duration.ofMinutes(5));

    private final DocumentMapping mapping;
    private final Key key;
    private final Map<String, Object> data;
    private final long now;
    private final String path;
    private final @Nullable String owner;
    private final @Nullable Long expiry;
    private final @Nullable Long fence;

    DocumentSight(DocumentMapping mapping, Key key, DocumentSnapshot document) {
        this.mapping = mapping;
        this.key = key;
        this.data = Objects.requireNonNullElse(document.getData(), Map.of());
        this.now = ReadTime.micros(document.getReadTime());
        this.path = document.getReference().getPath();
        this.owner = text(Role.OWNER);
        this.expiry = isFinished() || owner == null || owner.isEmpty() ? null : time(Role.EXPIRY);
        this.fence = fence(number(Role.FENCE));
    }

    private @Nullable Long fence(@Nullable Long number) {
        if (number == null || (number >= 1 && number <= Fence.MAX_VALUE)) {
            return number;
        }
        skip(Role.FENCE, "a fence, a whole number from 1 to 2^53 - 1");
        return null;
    }

    long now() {
        return now;
    }

    private @Nullable Object value(Role role) {
        return mapping.field(role).map(data::get).orElse(null);
    }

    private @Nullable String text(Role role) {
        Object value = value(role);
        if (value instanceof String text) {
            return text;
        }
        if (value != null) {
            skip(role, "text");
        }
        return null;
    }

    private @Nullable Long number(Role role) {
        Object value = value(role);
        if (value instanceof Long number) {
            return number;
        }
        if (value != null) {
            skip(role, "a whole number");
        }
        return null;
    }

    private @Nullable Long time(Role role) {
        Long micros = DocumentTimes.read(value(role), mapping.field(role).orElse(""), path);
        return micros == null ? null : Math.max(-MOST, Math.min(MOST, micros));
    }

    /** Passes over a field that cannot be read. A finished document is never leased again, so its lock does not matter. */
    private void skip(Role role, String expected) {
        if (isFinished()) {
            return;
        }
        throw new StoreException("The field " + mapping.field(role).orElse("") + " of the document " + path
                + " does not hold " + expected + ". The document cannot be leased until it is corrected or removed.");
    }

    /** Whether the lock's expiry is still there, whatever the status says. */
    boolean hasExpiry() {
        return value(Role.EXPIRY) != null;
    }

    boolean isFinished() {
        return isDone() || isFailed();
    }

    private boolean isDone() {
        Object value = value(Role.DONE);
        String wanted = mapping.doneValue();
        return mapping.has(Role.DONE) && (wanted == null ? value != null : wanted.equals(value));
    }

    boolean isFailed() {
        return mapping.has(Role.FAILED)
                && Objects.requireNonNull(mapping.failedValue()).equals(value(Role.FAILED));
    }

    /** A holder has the document, or had it until it expired. */
    boolean isHeld() {
        return !isFinished() && owner != null && !owner.isEmpty() && expiry != null;
    }

    /** Which expiry the document has; only if it is held. */
    long stamp() {
        return Objects.requireNonNull(expiry);
    }

    /** How the owner is written for this holder. */
    static String ownerText(DocumentMapping mapping, Owner owner, Nonce nonce) {
        return mapping.isOwnerAsIs() ? owner.label() : owner.label() + "#" + nonce;
    }

    /** Whether the document is held by the lease with this nonce, and with this fence if there is one. */
    boolean isOf(Nonce nonce, @Nullable Fence wanted, Optional<Mark> mark) {
        if (!isHeld() || !isFence(wanted)) {
            return false;
        }
        if (nonce.equals(holder())) {
            return true;
        }
        return mapping.isOwnerAsIs() && mark.filter(this::isMarked).isPresent();
    }

    private boolean isFence(@Nullable Fence wanted) {
        return wanted == null || !mapping.has(Role.FENCE) || Objects.equals(fence, wanted.value());
    }

    private boolean isMarked(Mark mark) {
        boolean isSame = mapping.has(Role.FENCE)
                ? Objects.equals(fence, mark.fence().value())
                : mark.stamps().contains(stamp());
        return isSame && mark.owner().equals(owner);
    }

    /** Whether the last lease on the document had this fence. */
    boolean isFencedBy(Fence wanted) {
        return Objects.equals(fence, wanted.value());
    }

    /** Whether the document is free, and the lease with this fence was the last on it. */
    boolean wasReleasedBy(@Nullable Fence wanted) {
        return wanted != null && mapping.has(Role.FENCE) && !isFinished() && !isHeld() && isFencedBy(wanted);
    }

    /** Whether the document has these values. */
    boolean has(Map<String, @Nullable Object> values) {
        return values.entrySet().stream().allMatch(entry -> Objects.equals(data.get(entry.getKey()), entry.getValue()));
    }

    /** The nonce behind the owner, or one that is made up of what the document says of its holder. */
    private Nonce holder() {
        String text = Objects.requireNonNullElse(owner, "");
        if (!mapping.isOwnerAsIs() && hasNonce(text)) {
            return Nonce.parse(text.substring(text.length() - NONCE_LENGTH + 1));
        }
        return new Nonce(MADE_UP | (text.hashCode() & 0xFFFF_FFFFL), expiry == null ? 0 : expiry);
    }

    private static boolean hasNonce(String text) {
        return text.length() > NONCE_LENGTH
                && text.charAt(text.length() - NONCE_LENGTH) == '#'
                && text.substring(text.length() - NONCE_LENGTH + 1).matches("[0-9a-f]{32}");
    }

    private @Nullable Owner label() {
        if (owner == null || owner.isEmpty()) {
            return null;
        }
        String text =
                !mapping.isOwnerAsIs() && hasNonce(owner) ? owner.substring(0, owner.length() - NONCE_LENGTH) : owner;
        try {
            return Owner.of(text);
        } catch (IllegalArgumentException e) {
            return null; // Written by a program with other rules for what an owner is.
        }
    }

    int attempts() {
        Long number = number(Role.ATTEMPTS);
        return number == null ? 0 : (int) Math.max(0, Math.min(Integer.MAX_VALUE, number));
    }

    /** The fence, or what comes closest: the last moment at which the lease can have been granted. */
    private Fence seenFence(Fence atLeast) {
        if (fence != null) {
            return Fence.of(fence);
        }
        long known = isHeld() && !mapping.has(Role.FENCE) ? Math.min(now, stamp()) : 1;
        return Fence.of(Math.max(Math.max(1, known), mapping.has(Role.FENCE) ? 1 : atLeast.value()));
    }

    /** The record as the rules see it for any caller. */
    LeaseSnapshot snapshot() {
        return new LeaseSnapshot(record(holder(), seenFence(Fence.of(1)), UNKNOWN_TTL), now, fields());
    }

    /** The record as the rules see it for one call: if the document is the call's own, so are its nonce and fence. */
    LeaseRecord recordFor(Nonce nonce, @Nullable Fence wanted, DocumentMemory memory) {
        Optional<Mark> mark = memory.find(nonce);
        if (!isOf(nonce, wanted, mark)) {
            return record(isHeld() ? holder() : nonce, seenFence(memory.lastFence()), UNKNOWN_TTL);
        }
        Fence own = fence != null
                ? Fence.of(fence)
                : wanted != null ? wanted : mark.map(Mark::fence).orElse(seenFence(Fence.of(1)));
        return record(nonce, own, mark.map(Mark::ttlMicros).orElse(UNKNOWN_TTL));
    }

    private LeaseRecord record(Nonce nonce, Fence seen, long ttl) {
        State state = isFinished() ? (isFailed() ? State.FAILED : State.DONE) : isHeld() ? State.HELD : State.FREE;
        long end = isFinished() ? now + Micros.of(Micros.FOREVER) : isHeld() ? stamp() : now;
        Tenure tenure = null;
        if (state != State.FREE) {
            // A holder's TTL is not in the document: nobody asked for less than what is left.
            long asked = Math.max(ttl, end - now);
            long since = fence == null ? now : Math.min(now, seen.value());
            tenure = new Tenure(nonce, isHeld() ? label() : null, asked, since);
        }
        Progress progress =
                mapping.has(Role.ATTEMPTS) ? new Progress(attempts(), true, null, null, null) : Progress.NONE;
        return new LeaseRecord(key, seen, state, tenure, null, end, 0, progress, List.of());
    }

    /** What a run is given; null if the mapping is for leases only. */
    @Nullable
    Fields fields() {
        return fieldsAfter(Map.of());
    }

    /** The same once these fields are written; a null value removes the field. */
    @Nullable
    Fields fieldsAfter(Map<String, @Nullable Object> written) {
        if (!mapping.has(Role.DONE)) {
            return null;
        }
        Map<String, @Nullable Object> read = new LinkedHashMap<>();
        mapping.idOf(key).ifPresent(id -> read.put("id", id));
        data.forEach((name, value) -> {
            if (mapping.isRead(name) && !name.isEmpty()) {
                read.put(name, DocumentValues.fromFirestore(value));
            }
        });
        written.forEach((name, value) -> {
            if (mapping.isRead(name)) {
                read.put(name, DocumentValues.fromFirestore(value));
            }
        });
        return Fields.of(read);
    }
}
