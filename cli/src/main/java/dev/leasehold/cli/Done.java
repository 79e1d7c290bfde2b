package dev.leasehold.cli;

import dev.leasehold.once.Codec;
import dev.leasehold.store.Payload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;

/**
 * The answer of a command that was run once, as it is kept: lines of {@code name=value}, which people can read too.
 *
 * @param endedAt by the clock of the machine it ran on
 */
record Done(int exitCode, String owner, Instant endedAt, Duration ran) {
    /** Done by other means than a command, such as a program that uses the library. */
    static final Done ELSEWHERE = new Done(0, "?", Instant.EPOCH, Duration.ZERO);

    static final Codec<Done> CODEC = new Codec<>() {
        @Override
        public byte[] encode(Done value) {
            return value.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Done decode(byte[] bytes) {
            try {
                return parse(new String(bytes, StandardCharsets.UTF_8));
            } catch (NumberFormatException | DateTimeParseException e) {
                return ELSEWHERE;
            }
        }
    };

    Payload toPayload() {
        return Payload.of(toString());
    }

    /** Reads what {@link #toString} wrote; names it does not know are passed over. */
    static Done parse(String text) {
        Map<String, String> values = new HashMap<>();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        return new Done(
                Integer.parseInt(values.getOrDefault("exitCode", "")),
                values.getOrDefault("owner", "?"),
                Instant.parse(values.getOrDefault("endedAt", "")),
                Duration.ofMillis(Long.parseLong(values.getOrDefault("ranMs", "0"))));
    }

    @Override
    public String toString() {
        return "exitCode=" + exitCode + "\nowner=" + owner + "\nendedAt=" + endedAt + "\nranMs=" + ran.toMillis()
                + "\n";
    }
}
