package dev.leasehold.analysis;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.lease.Moment;
import dev.leasehold.lease.SystemClockwork;
import dev.leasehold.store.Subscription;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What tests replace.
 *
 * @param client sets the lease client up, with its clock and threads
 * @param stopGrace how long tasks may go on when the process is told to end
 */
record Parts(Analyser analyser, UnaryOperator<LeasesBuilder> client, Duration stopGrace) {
    static final Parts USUAL = new Parts(
            new TextAnalysis(),
            builder -> builder.clockwork(new ClosedByApplication(SystemClockwork.shared())),
            Duration.ofSeconds(25));

    /**
     * Leaves the end of the process to the application. The lease client would otherwise close itself when the process is
     * told to end, within two seconds, while tasks still have 25.
     */
    private record ClosedByApplication(Clockwork real) implements Clockwork {
        @Override
        public Moment now() {
            return real.now();
        }

        @Override
        public Alarm newAlarm(Runnable task) {
            return real.newAlarm(task);
        }

        @Override
        public void dispatch(Runnable task) {
            real.dispatch(task);
        }

        @Override
        public <T> void call(Supplier<T> verb, Reply<T> reply) {
            real.call(verb, reply);
        }

        @Override
        public Subscription atExit(Runnable task) {
            return () -> {};
        }
    }
}
