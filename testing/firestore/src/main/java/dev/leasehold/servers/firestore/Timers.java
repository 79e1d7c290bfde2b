package dev.leasehold.servers.firestore;

import java.time.Duration;

/**
 * The server's time limits, all measured by its clock.
 *
 * @param transaction how long a transaction may last
 * @param idle how long a transaction may last without a request
 * @param lockWait how long a request waits for locks before it is aborted
 * @param history how old the time of a read may be; older versions of documents are dropped. At least as long as a
 *     transaction may last, which reads at the time of its first read
 */
public record Timers(Duration transaction, Duration idle, Duration lockWait, Duration history) {
    /** The limits that Firestore documents: 270 s, 60 s, 20 s, and one hour. */
    public static final Timers DOCUMENTED =
            new Timers(Duration.ofSeconds(270), Duration.ofSeconds(60), Duration.ofSeconds(20), Duration.ofHours(1));

    /** Checks that every limit is positive, and that the history covers a transaction. */
    public Timers {
        for (Duration limit : new Duration[] {transaction, idle, lockWait, history}) {
            if (limit.isZero() || limit.isNegative()) {
                throw new IllegalArgumentException("A time limit must be positive: " + limit);
            }
        }
        if (history.compareTo(transaction) < 0) {
            throw new IllegalArgumentException("The history must cover a transaction of " + transaction);
        }
    }
}
