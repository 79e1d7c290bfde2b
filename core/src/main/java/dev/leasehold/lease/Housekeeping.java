package dev.leasehold.lease;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.function.ToIntFunction;

/** Purges the store and its history now and then, a little at a time, so that nobody else has to. */
final class Housekeeping {
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
        if (isStarted) {
            return;
        }
        isStarted = true;
        Duration retained = engine.settings.retained();
        Duration remembered = engine.settings.remembered();
        start(retained, store -> store.purge(retained, BATCH), now);
        start(
                remembered,
                store -> store.history()
                        .map(history -> history.forget(remembered, BATCH))
                        .orElse(0),
                now);
    }

    private void start(Duration kept, ToIntFunction<LeaseStore> drop, Moment now) {
        if (!Micros.isForever(kept)) {
            engine.agenda.put(new Chore(drop), now.nanos() + engine.random.nextLong(PERIOD.toNanos()));
        }
    }

    /** Something that is dropped time and again. */
    private final class Chore extends Agenda.Item {
        private final ToIntFunction<LeaseStore> drop;

        Chore(ToIntFunction<LeaseStore> drop) {
            this.drop = drop;
        }

        @Override
        void due(Moment now) {
            again(PERIOD, now);
            engine.outbox().send(new Ask<Integer>(now) {
                @Override
                Object subject() {
                    return Chore.this;
                }

                @Override
                Integer perform(LeaseStore store) {
                    return drop.applyAsInt(store);
                }

                @Override
                void answered(Integer dropped, Moment then) {
                    if (dropped >= BATCH) {
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
}
