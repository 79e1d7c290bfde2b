package dev.leasehold.lease;

import org.jspecify.annotations.Nullable;

/** Where this library writes what an operator should read. */
final class Log {
    static final System.Logger LOGGER = System.getLogger("dev.leasehold");

    private Log() {}

    /** Writes a warning, and never throws, whatever the logger in use does. */
    static void warn(String message, @Nullable Throwable cause) {
        try {
            LOGGER.log(System.Logger.Level.WARNING, message, cause);
        } catch (RuntimeException | Error e) {
            // There is nowhere left to say it.
            return;
        }
    }

    /** Whether the event is worth a line. */
    static boolean isWorthALine(LeaseEvent event) {
        return event instanceof LeaseEvent.Lost || event instanceof LeaseEvent.CleanupWarning;
    }

    /** Writes what is worth a line: a lease that was lost or not given back. Data go in as parameters. */
    static void write(LeaseEvent event) {
        if (event instanceof LeaseEvent.Lost lost) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "Lease lost on {0}: {1}",
                    lost.source().scope(),
                    lost.why());
        } else if (event instanceof LeaseEvent.CleanupWarning warning) {
            LOGGER.log(System.Logger.Level.WARNING, "{0}", warning.message());
        }
    }
}
