package dev.leasehold.tck.history;

/**
 * One thing that happened to one client.
 *
 * @param time when, in nanoseconds of a clock that all clients share: the harness's
 * @param client who; another life of a client that crashed has another name
 * @param nonce of the call or lease it is about; empty if none
 * @param fence of the lease or effect; 0 if none
 * @param until for {@link Kind#ACQUIRED} and {@link Kind#RENEWED}, until when the client thinks itself the holder
 */
public record HistoryEvent(long time, Kind kind, String client, String key, String nonce, long fence, long until) {
    /** What happened. */
    public enum Kind {
        /** A call to acquire was made. */
        CALLED,
        /** The call was refused. */
        REFUSED,
        /** The call ended, and nobody knows whether the store granted it. */
        UNKNOWN,
        /** The caller holds the lease. */
        ACQUIRED,
        /** It holds it for longer. */
        RENEWED,
        /** It began to give it back and no longer thinks itself the holder. */
        RELEASING,
        /** The store confirmed. */
        RELEASED,
        /** It was told that the lease is lost. */
        LOST,
        /** The client died. */
        CRASHED,
        /** A write with this fence reached the resource and was accepted. */
        EFFECT,
        /** A write with this fence reached the resource and was refused as stale. */
        STALE_EFFECT,
        /** It was given the answer of a run, which the holder with this fence has recorded. */
        ANSWERED
    }

    /** The event as one line of JSON. */
    public String toJson() {
        return "{\"time\":" + time + ",\"kind\":\"" + kind + "\",\"client\":" + Json.quote(client) + ",\"key\":"
                + Json.quote(key) + ",\"nonce\":" + Json.quote(nonce) + ",\"fence\":" + fence + ",\"until\":" + until
                + "}";
    }

    /** Reads what {@link #toJson} wrote. */
    public static HistoryEvent fromJson(String line) {
        Json fields = Json.parse(line);
        return new HistoryEvent(
                fields.number("time"),
                Kind.valueOf(fields.text("kind")),
                fields.text("client"),
                fields.text("key"),
                fields.text("nonce"),
                fields.number("fence"),
                fields.number("until"));
    }
}
