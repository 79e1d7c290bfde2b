package dev.leasehold.benchmarks;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts commands in what one client sends to Redis: each is a list of words, and each word says how many bytes it has.
 * What is sent may come in pieces, cut anywhere.
 */
final class CommandCount {
    private static final int LINE_END = 2;

    private final LongAdder commands;
    private char kind;
    private int number;
    private int skipped;

    /** Adds to this. */
    CommandCount(LongAdder commands) {
        this.commands = commands;
    }

    void read(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (skipped > 0) {
                int step = Math.min(skipped, length - i);
                skipped -= step;
                i += step - 1;
            } else {
                read((char) bytes[i]);
            }
        }
    }

    private void read(char next) {
        if (next == '\n') {
            if (kind == '*') {
                commands.increment();
            } else {
                skipped = number + LINE_END;
            }
            kind = 0;
            number = 0;
        } else if (kind == 0) {
            kind = next;
        } else if (next != '\r') {
            number = number * 10 + next - '0';
        }
    }
}
