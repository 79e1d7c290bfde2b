package dev.leasehold.faults;

import java.io.IOException;

/** How much another process may write to one file. */
enum FileLimit {
    /** As on a disk that is full. */
    NOTHING("0:"),
    NONE("unlimited:");

    private final String argument;

    FileLimit(String argument) {
        this.argument = argument;
    }

    /** Whether it could be set: the process may have ended. */
    boolean set(long pid) throws IOException, InterruptedException {
        Process prlimit = new ProcessBuilder("prlimit", "--pid", Long.toString(pid), "--fsize=" + argument)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return prlimit.waitFor() == 0;
    }
}
