package dev.leasehold.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How short of CPUs this machine is. What the kernel says: the share of time in which somebody who could have run had to
 * wait for one; see its documentation of pressure stall information. And what is felt here: how late a thread is woken
 * that does nothing but sleep.
 */
final class Pressure implements AutoCloseable {
    private static final long BEAT_MILLIS = 20;
    private static final Path FILE = Path.of("/proc/pressure/cpu");
    private static final Pattern TOTAL = Pattern.compile("some .*total=(\\d+)");

    private final long beginNanos = System.nanoTime();
    private final long beginMicros = stalledMicros();
    private final Thread sleeper = new Thread(this::sleep, "sleeper");
    private volatile long latestMillis;

    Pressure() {
        sleeper.setDaemon(true);
        sleeper.start();
    }

    private void sleep() {
        try {
            while (true) {
                long before = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(BEAT_MILLIS);
                long slept = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
                latestMillis = Math.max(latestMillis, slept - BEAT_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // Closed.
        }
    }

    /** How much too late the sleeper was woken at worst. */
    long latestMillis() {
        return latestMillis;
    }

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

    @Override
    public void close() {
        sleeper.interrupt();
    }
}
