package dev.leasehold.redis;

import dev.leasehold.store.Micros;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Text, numbers and times as the words that Redis takes and gives. */
final class Bytes {
    static final byte[] NOTHING = {};
    static final byte[] YES = {'1'};
    static final byte[] NO = {'0'};

    private Bytes() {}

    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Nothing for what is not there: none of these texts is ever empty. */
    static byte[] orNothing(@Nullable Object text) {
        return text == null ? NOTHING : of(text.toString());
    }

    static byte[] of(long number) {
        return number == 0 ? NO : of(Long.toString(number));
    }

    static byte[] of(Duration time) {
        return of(Micros.of(time));
    }

    static byte[] of(boolean flag) {
        return flag ? YES : NO;
    }

    static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    static long number(Object bytes) {
        return Long.parseLong(text(bytes));
    }

    static Duration time(Object bytes) {
        return Micros.toDuration(number(bytes));
    }
}
