package dev.leasehold.lease;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import java.time.Duration;

/** Purges the store now and then, a little at a time, so that nobody else has to. */
final class Housekeeping extends Agenda.Item {
    private static final Duration PERIOD = Duration.ofHours(1);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final int BATCH = 500;

    private final LeaseEngine engine;
    private boolean isStarted;

    Housekeeping(LeaseEngine engine) {
        this.engine = engine;
    }

    /** Puts the first round down for some time within the next period, so that clients do not all do it at once. */
    void start(Moment now) {
        if (!isStarted && !Micros.isForever(engine.settings.retained())) {
            engine.agenda.put(this, now.nanos() + engine.random.nextLong(PERIOD.toNanos()));
        }
        isStarted = true;
    }

    @Override
    void due(Moment now) {
        again(PERIOD, now);
        engine.outbox().send(new Ask<Integer>(now) {
            @Override
            Object subject() {
                return Housekeeping.this;
            }

            @Override
            Integer perform(LeaseStore store) {
                return store.purge(engine.settings.retained(), BATCH);
            }

            @Override
            void answered(Integer purged, Moment then) {
                if (purged >= BATCH) {
                    again(PAUSE, then);
                }
            }

            @Override
            void failed(Throwable cause, Moment then) {
                // The next round tries again; nobody waits for it.
            }
        });
    }

    private void again(Duration pause, Moment now) {
        engine.agenda.put(this, now.nanos() + engine.jittered(pause.toNanos()));
    }
}
