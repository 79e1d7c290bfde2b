package dev.leasehold.analysis;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.SystemClockwork;
import java.time.Duration;

/**
 * The parts that tests replace.
 *
 * @param clockwork the lease client's clock and threads
 * @param stopGrace how long tasks may go on when the process is told to end
 */
record Parts(Analyser analyser, Clockwork clockwork, Duration stopGrace) {
    static final Parts USUAL = new Parts(new TextAnalysis(), SystemClockwork.shared(), Duration.ofSeconds(25));
}
