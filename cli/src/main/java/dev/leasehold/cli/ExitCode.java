package dev.leasehold.cli;

/** The codes that are ours. All others are those of the command that was run, unchanged. */
final class ExitCode {
    static final int BUSY = 1;
    static final int USAGE = 64;
    static final int UNAVAILABLE = 69;
    static final int BUG = 70;
    static final int CONFIG = 78;
    static final int LOST = 79;
    static final int TIMEOUT = 124;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    /** To which the number of the signal is added that ended it. */
    static final int SIGNAL = 128;

    private ExitCode() {}
}
