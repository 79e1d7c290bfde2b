package dev.leasehold.faults;

import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What goes wrong between a client and a store that no proxy can stand before. Confined to one thread. */
final class Trouble {
    private static final List<Verb> VERBS = List.of(Verb.ACQUIRE, Verb.RENEW, Verb.RELEASE);
    private static final long PERIOD_MILLIS = 250;

    private final FaultyStore store;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "trouble");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable ScheduledFuture<?> losing;

    Trouble(FaultyStore store) {
        this.store = store;
    }

    /** Four times a second, the reply to the next request of each kind is lost. */
    void lose() {
        Runnable next = () -> VERBS.forEach(verb -> store.next(verb, new Fault.LostReply()));
        losing = timer.scheduleAtFixedRate(next, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Every reply comes so much later. */
    void slow(Duration by) {
        VERBS.forEach(verb -> store.always(verb, new Fault.SlowReply(by)));
    }

    void end() {
        ScheduledFuture<?> present = losing;
        if (present != null) {
            present.cancel(false);
        }
        store.heal();
    }

    /** How many requests were struck so far. */
    int struck() {
        return store.struck().size();
    }
}
