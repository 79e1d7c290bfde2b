package dev.leasehold.jdbc;

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
import dev.leasehold.store.Tenure;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of Leasehold's tables as records. */
final class Rows {
    private Rows() {}

    /** One letter for a state. */
    static String code(State state) {
        return switch (state) {
            case FREE -> "F";
            case HELD -> "H";
            case DONE -> "D";
            case FAILED -> "X";
            case HOLD -> "O";
        };
    }

    private static State state(String code) {
        return switch (code) {
            case "F" -> State.FREE;
            case "H" -> State.HELD;
            case "D" -> State.DONE;
            case "X" -> State.FAILED;
            case "O" -> State.HOLD;
            default -> throw new IllegalArgumentException("No state has the code \"" + code + "\".");
        };
    }

    /** The row under the cursor, with this line. */
    static LeaseSnapshot snapshot(ResultSet row, Dialect dialect, List<Place> line) throws SQLException {
        State state = state(row.getString("state"));
        Nonce nonce = nonce(row.getString("nonce"));
        Tenure tenure = nonce == null || state == State.FREE
                ? null
                : new Tenure(
                        nonce,
                        owner(row.getString("owner")),
                        row.getLong("ttl"),
                        row.getLong("since"),
                        row.getInt("cooldown")); // See Statements.
        long previousFence = row.getLong("prev_fence");
        Predecessor predecessor =
                row.wasNull() ? null : new Predecessor(owner(row.getString("prev_owner")), Fence.of(previousFence));
        byte[] payload = row.getBytes("payload");
        Progress progress = Progress.ofTally(
                row.getInt("attempts"),
                text(row, "fingerprint"),
                predecessor,
                payload == null ? null : Payload.of(payload));
        LeaseRecord record = new LeaseRecord(
                key(row, dialect),
                Fence.of(row.getLong("fence")),
                state,
                tenure,
                nonce(row.getString("tombstone")),
                row.getLong("expiry"),
                tenure == null ? row.getLong("cooldown") : 0,
                progress,
                line);
        return new LeaseSnapshot(record, row.getLong("now"));
    }

    static Key key(ResultSet row, Dialect dialect) throws SQLException {
        return Key.of(
                dialect.keys == Dialect.Keys.TEXT
                        ? row.getString("k")
                        : new String(row.getBytes("k"), StandardCharsets.UTF_8));
    }

    static Place place(ResultSet row) throws SQLException {
        return new Place(
                Nonce.parse(row.getString("nonce")),
                Owner.of(row.getString("owner")),
                row.getLong("ttl"),
                text(row, "fingerprint"),
                row.getLong("since"),
                row.getLong("until"));
    }

    /** The first in line, beside the record under the cursor; empty if nobody is. */
    static List<Place> first(ResultSet row) throws SQLException {
        String nonce = row.getString("next_nonce");
        return nonce == null
                ? List.of()
                : List.of(new Place(
                        Nonce.parse(nonce),
                        Owner.of(row.getString("next_owner")),
                        row.getLong("next_ttl"),
                        text(row, "next_fingerprint"),
                        row.getLong("next_since"),
                        row.getLong("next_until")));
    }

    /** Text that is compared byte by byte, and therefore kept as bytes where every collation would merge some. */
    private static @Nullable String text(ResultSet row, String column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static @Nullable Nonce nonce(@Nullable String text) {
        return text == null ? null : Nonce.parse(text);
    }

    private static @Nullable Owner owner(@Nullable String label) {
        return label == null ? null : Owner.of(label);
    }
}
