package dev.leasehold.servers.firestore;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;

/** Instants as microseconds since 1970, the precision of Firestore's times. */
final class Micros {
    private Micros() {}

    static long of(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    static long of(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** Rounds down, as stored timestamps are. */
    static long of(Timestamp timestamp) {
        return timestamp.getSeconds() * 1_000_000 + timestamp.getNanos() / 1_000;
    }

    /** Refuses a time that is not aligned to microseconds. */
    static long exact(Timestamp timestamp) {
        long micros = of(timestamp);
        if (!toProto(micros).equals(timestamp)) {
            throw Refusals.invalid("The time is not aligned to microseconds");
        }
        return micros;
    }

    static Timestamp toProto(long micros) {
        return Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(micros, 1_000_000L))
                .setNanos((int) Math.floorMod(micros, 1_000_000L) * 1_000)
                .build();
    }
}
