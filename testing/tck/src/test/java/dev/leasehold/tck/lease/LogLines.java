package dev.leasehold.tck.lease;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Collects what is written to a log, until it is closed. */
final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final Handler handler;
    private boolean isOpen = true;

    private LogLines(Logger logger, List<String> lines) {
        this.logger = logger;
        this.handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(new SimpleFormatter().formatMessage(record));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
    }

    static LogLines of(String name, List<String> lines) {
        return new LogLines(Logger.getLogger(name), lines);
    }

    boolean isOpen() {
        return isOpen;
    }

    @Override
    public void close() {
        isOpen = false;
        logger.removeHandler(handler);
    }
}
