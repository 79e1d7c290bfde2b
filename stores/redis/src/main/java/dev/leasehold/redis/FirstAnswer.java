package dev.leasehold.redis;

import dev.leasehold.store.Threads;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/** Asks several servers the same, each on a thread of its own, and takes the first answer. */
final class FirstAnswer {
    private record Reply<T>(@Nullable T answer, @Nullable Throwable failure) {}

    private FirstAnswer() {}

    /**
     * Asks the first, and the next each time one has failed or has had its head start. An interrupt of the calling thread
     * does not end the wait; the flag stays.
     *
     * @throws JedisException the last failure, if all failed
     * @throws TimeoutException if some are silent, and the others failed
     */
    static <T> T of(List<Supplier<T>> questions, Duration headStart, Duration limit) throws TimeoutException {
        BlockingQueue<Reply<T>> replies = new LinkedBlockingQueue<>();
        long end = System.nanoTime() + limit.toNanos();
        @Nullable Throwable failure = null;
        int asked = 0;
        int failed = 0;
        while (failed < questions.size()) {
            boolean isLast = asked == questions.size();
            if (!isLast) {
                ask(questions.get(asked++), replies);
                isLast = asked == questions.size();
            }
            long left = end - System.nanoTime();
            Reply<T> reply = poll(replies, isLast ? left : Math.min(left, headStart.toNanos()));
            if (reply != null && reply.answer() != null) {
                return reply.answer();
            }
            if (reply != null) {
                failure = reply.failure();
                failed++;
            } else if (end - System.nanoTime() <= 0) {
                throw timedOut(failure);
            }
        }
        throw rethrown(failure);
    }

    private static <T> void ask(Supplier<T> question, BlockingQueue<Reply<T>> replies) {
        Runnable asking = () -> {
            try {
                replies.add(new Reply<>(question.get(), null));
            } catch (RuntimeException | Error e) {
                replies.add(new Reply<>(null, e));
            }
        };
        try {
            Threads.daemon("leasehold-cluster-slots", asking).start();
        } catch (OutOfMemoryError e) {
            asking.run(); // There is no thread to be had.
        }
    }

    private static <T> @Nullable Reply<T> poll(BlockingQueue<Reply<T>> replies, long nanos) {
        long end = System.nanoTime() + nanos;
        return Uninterrupted.<@Nullable Reply<T>, RuntimeException>await(
                () -> replies.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS));
    }

    private static TimeoutException timedOut(@Nullable Throwable failure) {
        TimeoutException timedOut = new TimeoutException("No server answered in time.");
        if (failure != null) {
            timedOut.addSuppressed(failure);
        }
        return timedOut;
    }

    private static RuntimeException rethrown(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception
                ? exception
                : new JedisException("There is no server to ask.");
    }
}
