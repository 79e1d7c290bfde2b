package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells a process that waits for an answer from one that hardly gets a processor, such as one of hundreds that cron starts
 * in the same second. By the processor's time that it used, which Linux says; elsewhere it seems to wait.
 */
final class OwnPace {
    private static final Path STAT = Path.of("/proc/self/stat");

    /** Of a hundredth of a second. A JVM that waits uses less than one in the stretches that are looked at. */
    private static final long WORKING = 3;

    private long before = ticks();

    /** Whether it worked since this was made, or since the last question. */
    boolean hasWorked() {
        long now = ticks();
        boolean hasWorked = now - before >= WORKING;
        before = now;
        return hasWorked;
    }

    private static long ticks() {
        try {
            String stat = Files.readString(STAT);
            // Behind the program's name, which may have anything in it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        } catch (IOException e) {
            return 0;
        }
    }
}
