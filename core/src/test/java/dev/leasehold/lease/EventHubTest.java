package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Subscription;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventHubTest {
    private static final LeaseEvent FIRST = event("first");
    private static final LeaseEvent SECOND = event("second");

    private final EventHub hub = new EventHub();
    private final List<LeaseEvent> heard = new ArrayList<>();

    private static LeaseEvent event(String id) {
        return new LeaseEvent.Released(
                new LeaseEvent.Source(Instant.EPOCH, id, "memory", Key.of("report"), Owner.of("ann"), null));
    }

    private void tell(LeaseEvent... events) {
        hub.post(List.of(events));
        hub.deliver(Runnable::run);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("Every listener hears every event, in order")
    void everyListenerHearsEverythingInOrder() {
        List<LeaseEvent> other = new ArrayList<>();
        hub.subscribe(heard::add);
        hub.subscribe(other::add);
        tell(FIRST, SECOND);
        assertThat(heard).containsExactly(FIRST, SECOND);
        assertThat(other).containsExactly(FIRST, SECOND);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("Nothing is told before it is delivered, and nothing from before the subscription")
    void deliveryIsAStepOfItsOwn() {
        hub.post(List.of(FIRST));
        hub.subscribe(heard::add);
        hub.post(List.of(SECOND));
        assertThat(heard).isEmpty();
        hub.deliver(Runnable::run);
        assertThat(heard).containsExactly(SECOND);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("A listener that throws harms nobody, not even itself, and not even with an Error")
    void throwingHarmsNobody() {
        List<LeaseEvent> thrower = new ArrayList<>();
        hub.subscribe(event -> {
            thrower.add(event);
            throw new IllegalStateException("as the test wants");
        });
        hub.subscribe(event -> {
            throw new AssertionError("as the test wants");
        });
        hub.subscribe(heard::add);
        tell(FIRST, SECOND);
        assertThat(thrower).containsExactly(FIRST, SECOND);
        assertThat(heard).containsExactly(FIRST, SECOND);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("A listener that throws a checked exception, as Kotlin's can, hears what comes next")
    void checkedExceptionHarmsNobody() {
        hub.subscribe(event -> {
            heard.add(event);
            EventHubTest.<RuntimeException>sneak(new IOException("as the test wants"));
        });
        tell(FIRST);
        tell(SECOND);
        assertThat(heard).containsExactly(FIRST, SECOND);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> void sneak(Throwable error) throws X {
        throw (X) error;
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("Unsubscribing twice is harmless, to others with the same listener too")
    void unsubscribingTwiceIsHarmless() {
        Consumer<LeaseEvent> listener = heard::add;
        Subscription subscription = hub.subscribe(listener);
        hub.subscribe(listener);
        subscription.close();
        subscription.close();
        tell(FIRST);
        assertThat(heard).containsExactly(FIRST);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("A listener that unsubscribes hears nothing more, not even what was posted already")
    void unsubscribingCountsAtOnce() {
        List<Subscription> own = new ArrayList<>();
        own.add(hub.subscribe(event -> {
            heard.add(event);
            own.forEach(Subscription::close);
        }));
        tell(FIRST, SECOND);
        tell(SECOND);
        assertThat(heard).containsExactly(FIRST);
    }

    @Test
    @Tag("part-of:LOCK-10")
    @DisplayName("What a listener causes is told after what it is being told")
    void causedEventsComeAfterwards() {
        hub.subscribe(event -> {
            if (event == FIRST) {
                tell(SECOND);
            }
            heard.add(event);
        });
        tell(FIRST);
        assertThat(heard).containsExactly(FIRST, SECOND);
    }

    @Test
    @Timeout(10)
    @DisplayName("E04 A listener that blocks keeps only its own events waiting")
    void blockingKeepsOnlyOwnEventsWaiting() throws InterruptedException {
        CountDownLatch isBlocked = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        List<LeaseEvent> slow = new ArrayList<>();
        hub.subscribe(event -> {
            isBlocked.countDown();
            await(mayGoOn);
            slow.add(event);
        });
        hub.subscribe(heard::add);
        Thread blocked = new Thread(() -> tell(FIRST));
        blocked.start();
        await(isBlocked);

        tell(SECOND);

        assertThat(heard).containsExactly(FIRST, SECOND);
        mayGoOn.countDown();
        blocked.join();
        assertThat(slow).containsExactly(FIRST, SECOND);
    }

    @Test
    @DisplayName(
            "E04 Events for a listener that does not return are bounded: renewals and retries go first, then the oldest")
    void mailboxIsBounded() {
        hub.subscribe(heard::add);
        int half = EventHub.CAPACITY / 2;
        for (int i = 0; i < half; i++) {
            hub.post(List.of(event("kept " + i)));
            hub.post(List.of(new LeaseEvent.Renewed(event("dropped").source(), Instant.EPOCH)));
        }
        hub.post(List.of(FIRST));
        List<Runnable> tasks = new ArrayList<>();
        hub.deliver(tasks::add);
        assertThat(tasks).as("a warning, and the listener").hasSize(2);
        tasks.get(1).run();
        assertThat(heard).hasSize(half + 1).startsWith(event("kept 0")).endsWith(FIRST);

        heard.clear();
        for (int i = 0; i <= EventHub.CAPACITY; i++) {
            hub.post(List.of(event("event " + i)));
        }
        hub.deliver(Runnable::run);
        assertThat(heard)
                .hasSizeLessThan(EventHub.CAPACITY)
                .hasSizeGreaterThan(half)
                .endsWith(event("event " + EventHub.CAPACITY));
    }

    @Test
    @DisplayName("A listener that wants only some events costs nothing for the others")
    void unwantedEventsAreNotDelivered() {
        hub.subscribe(heard::add, event -> event == SECOND);
        List<Runnable> tasks = new ArrayList<>();
        hub.post(List.of(FIRST));
        hub.deliver(tasks::add);
        assertThat(tasks).isEmpty();
        tell(FIRST, SECOND);
        assertThat(heard).containsExactly(SECOND);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
