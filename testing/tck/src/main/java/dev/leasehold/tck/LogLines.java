package dev.leasehold.tck;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what is written to a log, until it is closed. Safe for use by many threads. */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            lines.add(record.getLevel() + ": " + new SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private LogLines(Logger logger) {
        this.logger = logger;
        logger.addHandler(handler);
    }

    /** Collects from the logger of this name, and from those below it. */
    public static LogLines of(String name) {
        return new LogLines(Logger.getLogger(name));
    }

    /** The lines so far, each with its level in front: {@code WARNING: text}. */
    public List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
    }
}
