package dev.leasehold.cli;

import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks a store again that does not answer, for a while: for those who wait anyway, and for requests with a nonce. */
final class Stubborn {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Duration patience;
    private long lastAnswer = System.nanoTime();

    /** @param patience how long it may not answer */
    Stubborn(Duration patience) {
        this.patience = patience;
    }

    <T> T ask(Supplier<T> question) throws InterruptedException {
        while (true) {
            try {
                T answer = question.get();
                lastAnswer = System.nanoTime();
                return answer;
            } catch (StoreUnavailableException e) {
                if (System.nanoTime() - lastAnswer > patience.toNanos()) {
                    throw e;
                }
                pause(PAUSE);
            }
        }
    }

    static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
