package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells a process that waits for an answer from one that hardly gets a processor to work on, such as one of hundreds that
 * cron starts in the same second. By what Linux says of both; elsewhere it seems to wait.
 */
final class OwnPace {
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final Pattern TOTAL = Pattern.compile("some .*total=(\\d+)");

    /** In hundredths of a second. One of two hundred processes on two processors gets ten in ten seconds. */
    private static final long WORKING = 2;

    private long ticks = ticks();
    private long pressure = pressure();
    private long moment = System.nanoTime();

    /** Whether it went on working, on a machine too busy to do so, since this was made, or since the last question. */
    boolean isHeldUp() {
        OwnPace now = new OwnPace();
        boolean hasWorked = now.ticks - ticks >= WORKING;
        // Microseconds in which somebody had to wait for a processor: nearly all of them, if there is such a crowd.
        boolean isBusy = (now.pressure - pressure) * 1_000 >= (now.moment - moment) / 4 * 3;
        ticks = now.ticks;
        pressure = now.pressure;
        moment = now.moment;
        return hasWorked && isBusy;
    }

    private static long ticks() {
        String stat = read(STAT);
        // Behind the program's name, which may have anything in it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).split(" ", -1);
        return fields.length < 14 ? 0 : Long.parseLong(fields[12]) + Long.parseLong(fields[13]);
    }

    private static long pressure() {
        Matcher total = TOTAL.matcher(read(PRESSURE));
        return total.find() ? Long.parseLong(total.group(1)) : 0;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
