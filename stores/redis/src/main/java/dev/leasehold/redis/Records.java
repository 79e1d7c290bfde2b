package dev.leasehold.redis;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Tenure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Records as Redis has them; prelude.lua says which field is what. */
final class Records {
    private static final int NONCE = 32;

    private Records() {}

    static String code(State state) {
        return switch (state) {
            case FREE -> "F";
            case HELD -> "H";
            case DONE -> "D";
            case FAILED -> "X";
            case HOLD -> "O";
        };
    }

    static State state(String code) {
        for (State state : State.values()) {
            if (code(state).equals(code)) {
                return state;
            }
        }
        throw new IllegalStateException("There is no state " + code + ".");
    }

    /** A fence that no script of ours wrote is refused, rather than taken for another. */
    static Fence fence(Object bytes) {
        try {
            return Fence.of(Bytes.number(bytes));
        } catch (IllegalArgumentException e) {
            throw new StoreException("A record in Redis has a fence that cannot be one: " + e.getMessage(), e);
        }
    }

    /** The fields that every record has. */
    private static final List<String> ALWAYS =
            List.of("state", "fence", "exp", "nonce", "owner", "ttl", "since", "tries");

    private static final List<String> NUMBERS = List.of("fence", "exp", "ttl", "since");
    private static final Pattern STATE = Pattern.compile("[FHDXO]");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final Pattern TALLY = Pattern.compile("-?\\d{1,19}");

    /** The answer of find.lua; empty if there is no record, or something else in its place. */
    static Optional<LeaseSnapshot> snapshot(Key key, Object answer) {
        List<?> parts = (List<?>) answer;
        List<?> words = (List<?>) parts.get(1);
        Map<String, byte[]> fields = new HashMap<>();
        for (int i = 0; i < words.size(); i += 2) {
            fields.put(Bytes.text(words.get(i)), (byte[]) words.get(i + 1));
        }
        if (!isRecord(fields)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LeaseSnapshot(record(key, fields), Bytes.number(parts.get(0))));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | StoreException e) {
            throw new StoreException(
                    "The record of key " + key + " in Redis is damaged (" + e.getMessage()
                            + "): another program changed it. Make sure that nobody holds the lease, then delete it.",
                    e);
        }
    }

    private static boolean isRecord(Map<String, byte[]> fields) {
        return fields.keySet().containsAll(ALWAYS)
                && STATE.matcher(text(fields, "state")).matches()
                && TALLY.matcher(text(fields, "tries")).matches()
                && NUMBERS.stream()
                        .allMatch(name -> NUMBER.matcher(text(fields, name)).matches());
    }

    private static LeaseRecord record(Key key, Map<String, byte[]> fields) {
        State state = state(text(fields, "state"));
        String tombstone = optional(fields, "tomb");
        return new LeaseRecord(
                key,
                fence(fields.getOrDefault("fence", Bytes.NO)),
                state,
                state == State.FREE ? null : tenure(fields),
                tombstone == null ? null : Nonce.parse(tombstone),
                number(fields, "exp"),
                state == State.FREE ? number(fields, "cool") : 0,
                progress(fields),
                line(fields));
    }

    private static Tenure tenure(Map<String, byte[]> fields) {
        return new Tenure(
                Nonce.parse(text(fields, "nonce")),
                Owner.of(text(fields, "owner")),
                number(fields, "ttl"),
                number(fields, "since"),
                (int) number(fields, "cool"));
    }

    private static Progress progress(Map<String, byte[]> fields) {
        byte[] data = fields.get("data");
        return Progress.ofTally(
                Integer.parseInt(text(fields, "tries")),
                optional(fields, "print"),
                predecessor(fields.get("pre")),
                data == null ? null : Payload.of(data));
    }

    /** A fence, and the owner on the next line. */
    static @Nullable Predecessor predecessor(byte @Nullable [] words) {
        if (words == null) {
            return null;
        }
        String[] parts = Bytes.text(words).split("\n", 2);
        return new Predecessor(Owner.of(parts[1]), fence(Bytes.of(parts[0])));
    }

    private static List<Place> line(Map<String, byte[]> fields) {
        List<Place> line = new ArrayList<>();
        String nonces = text(fields, "line");
        for (int at = 0; at < nonces.length(); at += NONCE) {
            String nonce = nonces.substring(at, at + NONCE);
            byte[] place = fields.get("p" + nonce);
            if (place != null) {
                line.add(place(Nonce.parse(nonce), Bytes.text(place).split("\n", 6)));
            }
        }
        return line;
    }

    private static Place place(Nonce nonce, String[] parts) {
        return new Place(
                nonce,
                Owner.of(parts[4]),
                Long.parseLong(parts[2]),
                parts[5].isEmpty() ? null : parts[5],
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]));
    }

    private static @Nullable String optional(Map<String, byte[]> fields, String name) {
        byte[] bytes = fields.get(name);
        return bytes == null ? null : Bytes.text(bytes);
    }

    private static String text(Map<String, byte[]> fields, String name) {
        String text = optional(fields, name);
        return text == null ? "" : text;
    }

    private static long number(Map<String, byte[]> fields, String name) {
        byte[] bytes = fields.get(name);
        return bytes == null ? 0 : Bytes.number(bytes);
    }
}
