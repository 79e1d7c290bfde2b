package dev.leasehold.lease;

/** Where this library writes what an operator should read. */
final class Log {
    static final System.Logger LOGGER = System.getLogger("dev.leasehold");

    private Log() {}

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
