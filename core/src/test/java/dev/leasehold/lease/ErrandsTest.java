package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which thread runs an errand that found none at first. Errands run where they are handed over, and say where. */
@DisplayName("An errand")
class ErrandsTest {
    private final Throwable allBusy = new RejectedExecutionException("all threads are busy");
    private final Throwable noThreads = new OutOfMemoryError("unable to create native thread");

    private final Threads threads = new Threads();
    private final List<String> ran = new ArrayList<>();
    private int rings;
    private final Errands errands = new Errands(threads, () -> rings++);

    /** Tells what it throws for each kind of thread, and which kind it runs something on. */
    private static final class Threads implements Clockwork {
        private @Nullable Throwable callbackRefusal;
        private @Nullable Throwable requestRefusal;
        private String current = "nobody";

        private void on(String thread, @Nullable Throwable refusal, Runnable work) {
            if (refusal instanceof Error error) {
                throw error;
            }
            if (refusal instanceof RuntimeException exception) {
                throw exception;
            }
            String before = current;
            current = thread;
            try {
                work.run();
            } finally {
                current = before;
            }
        }

        @Override
        public void dispatch(Runnable task) {
            on("a callback thread", callbackRefusal, task);
        }

        @Override
        public <T> void call(Supplier<T> verb, Reply<T> reply) {
            on("a request thread", requestRefusal, () -> reply.answered(verb.get()));
        }

        @Override
        public Moment now() {
            return new Moment(0, 0);
        }

        @Override
        public Alarm newAlarm(Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Subscription atExit(Runnable task) {
            throw new UnsupportedOperationException();
        }
    }

    private void callBack(String name) {
        errands.execute(() -> ran.add(name + " on " + threads.current));
    }

    private void request(String name) {
        errands.call(() -> ran.add(name + " on " + threads.current), new Clockwork.Reply<>() {
            @Override
            public void answered(Boolean result) {}

            @Override
            public void failed(Throwable cause) {
                throw new AssertionError(cause);
            }
        });
    }

    @Test
    @DisplayName("that is a callback is not run by a request thread, if all callback threads are busy")
    void callbackLeavesRequestThreadsAlone() {
        threads.callbackRefusal = allBusy;
        callBack("callback");

        request("request");
        assertThat(ran).containsExactly("request on a request thread");
        assertThat(rings).as("the keeper is to try again").isEqualTo(2);

        threads.callbackRefusal = null;
        errands.handOn();
        assertThat(ran).containsExactly("request on a request thread", "callback on a callback thread");
    }

    @Test
    @DisplayName("that is kept is run by the next thread of its kind that has finished")
    void threadTakesItsKindAlong() {
        threads.callbackRefusal = allBusy;
        callBack("first");
        threads.requestRefusal = allBusy;
        request("first request");
        threads.callbackRefusal = null;

        callBack("second");

        assertThat(ran).containsExactly("second on a callback thread", "first on a callback thread");
        threads.requestRefusal = null;
        request("second request");
        assertThat(ran)
                .endsWith("second request on a request thread", "first request on a request thread")
                .hasSize(4);
    }

    @Test
    @DisplayName("that is a request is handed on although callbacks before it find no thread")
    void requestOvertakesCallbacks() {
        threads.callbackRefusal = allBusy;
        threads.requestRefusal = allBusy;
        callBack("callback");
        request("request");
        threads.requestRefusal = null;

        assertThatThrownBy(errands::handOn).isSameAs(allBusy);

        assertThat(ran).containsExactly("request on a request thread");
        assertThat(errands.retireKeeper()).isFalse();
    }

    @Test
    @DisplayName("that is a callback is run by a request thread, if the process has no other thread")
    void lastThreadRunsAll() {
        threads.callbackRefusal = noThreads;
        callBack("callback");

        request("request");

        assertThat(ran).containsExactly("request on a request thread", "callback on a request thread");
        assertThat(errands.retireKeeper()).isTrue();
    }

    @Test
    @DisplayName("that is a callback is not run by a request thread while another callback runs on one")
    void oneRequestThreadIsEnough() {
        threads.callbackRefusal = noThreads;
        errands.execute(() -> {
            callBack("second");
            request("request of the first");
            ran.add("first on " + threads.current);
        });

        request("request");

        assertThat(ran)
                .containsExactly(
                        "request on a request thread",
                        "request of the first on a request thread",
                        "first on a request thread",
                        "second on a request thread");
    }
}
