package dev.leasehold.faults;

import dev.leasehold.store.StoreException;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** What goes wrong between a client and a store that no proxy can stand before. Confined to one thread. */
final class Trouble {
    private static final List<Verb> VERBS = List.of(Verb.ACQUIRE, Verb.RENEW, Verb.RELEASE);
    private static final long PERIOD_MILLIS = 250;
    private static final long LATE_MILLIS = Shift.TTL.toMillis() * 3 / 5;

    private final FaultyStore store;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "trouble");
        thread.setDaemon(true);
        return thread;
    });
    private final List<ScheduledFuture<?>> recurring = new ArrayList<>();

    Trouble(FaultyStore store) {
        this.store = store;
    }

    /** Four times a second, the reply to the next request of each kind is lost. */
    void lose() {
        strikeNow(new Fault.LostReply());
    }

    /** Four times a second, the next request of each kind fails; it is carried out when its caller has asked again. */
    void delay() {
        strikeNow(new Fault.LateRequest());
        every(LATE_MILLIS, this::deliverLate);
    }

    private void deliverLate() {
        try {
            store.deliverLate();
        } catch (StoreException e) {
            // Then they are lost, as requests may be.
            return;
        }
    }

    /** Every request is carried out twice. */
    void repeat() {
        VERBS.forEach(verb -> store.always(verb, new Fault.Duplicate()));
    }

    private void strikeNow(Fault fault) {
        every(PERIOD_MILLIS, () -> VERBS.forEach(verb -> store.next(verb, fault)));
    }

    private void every(long millis, Runnable task) {
        recurring.add(timer.scheduleAtFixedRate(task, 0, millis, TimeUnit.MILLISECONDS));
    }

    /** Every reply comes so much later. */
    void slow(Duration by) {
        VERBS.forEach(verb -> store.always(verb, new Fault.SlowReply(by)));
    }

    void end() {
        recurring.forEach(task -> task.cancel(false));
        recurring.clear();
        store.heal();
        deliverLate();
    }

    /** How many requests were struck so far. */
    int struck() {
        return store.struck().size();
    }
}
