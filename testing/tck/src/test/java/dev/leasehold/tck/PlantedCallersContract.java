package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.SystemClockwork;
import java.time.Duration;
import java.util.function.Supplier;

/** The contract on a client whose threads have a bug: run by {@link ContractCatchesHostileCallersTest} alone. */
class PlantedCallersContract extends HostileCallersContract {
    /** What is wrong with the next client's threads. */
    enum Bug {
        NONE,
        /** Listeners and continuations run on the thread that caused the event, as if it had nothing else to do. */
        CALLBACKS_ON_THE_CALLERS_THREAD,
        /** What finds no thread is dropped: leases are acquired whose future is never completed. */
        DROPS_WHAT_FINDS_NO_THREAD
    }

    static volatile Bug bug = Bug.NONE;

    @Override
    Duration patience() {
        return bug == Bug.NONE ? super.patience() : Duration.ofSeconds(1);
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        return MemoryUnderTest.inRealTime();
    }

    @Override
    StarvedClockwork starved(Clockwork clockwork) {
        return bug == Bug.NONE ? super.starved(clockwork) : new BuggyClockwork(clockwork);
    }

    private static final class BuggyClockwork extends StarvedClockwork {
        BuggyClockwork(Clockwork clockwork) {
            super(clockwork);
        }

        @Override
        public void dispatch(Runnable task) {
            if (bug == Bug.CALLBACKS_ON_THE_CALLERS_THREAD) {
                task.run();
                return;
            }
            try {
                super.dispatch(task);
            } catch (OutOfMemoryError dropped) {
                return;
            }
        }

        @Override
        public <T> void call(Supplier<T> verb, Reply<T> reply) {
            try {
                super.call(verb, reply);
            } catch (OutOfMemoryError e) {
                if (bug == Bug.CALLBACKS_ON_THE_CALLERS_THREAD) {
                    throw e;
                }
                SystemClockwork.shared().call(verb, reply);
            }
        }
    }
}
