package dev.leasehold.firestore;

import com.google.cloud.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The server's clock, as it comes with each read, in whole microseconds. */
final class ReadTime {
    private ReadTime() {}

    static long micros(Timestamp time) {
        return Math.addExact(Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNanos() / 1_000);
    }

    static Timestamp timestamp(long micros) {
        return Timestamp.ofTimeMicroseconds(micros);
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
