package dev.leasehold.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How short of CPUs this machine is, by what the kernel says: the share of time in which somebody who could have run had
 * to wait for one. See the kernel's documentation of pressure stall information.
 */
final class Pressure {
    private static final Path FILE = Path.of("/proc/pressure/cpu");
    private static final Pattern TOTAL = Pattern.compile("some .*total=(\\d+)");

    private final long beginNanos = System.nanoTime();
    private final long beginMicros = stalledMicros();

    /** Since this was made. */
    int percent() {
        double passedMicros = (System.nanoTime() - beginNanos) / 1_000.0;
        return (int) Math.min(100, Math.round(100 * (stalledMicros() - beginMicros) / passedMicros));
    }

    /** 0 on a system that does not tell. */
    private static long stalledMicros() {
        try {
            Matcher total = TOTAL.matcher(Files.exists(FILE) ? Files.readString(FILE) : "");
            return total.find() ? Long.parseLong(total.group(1)) : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
