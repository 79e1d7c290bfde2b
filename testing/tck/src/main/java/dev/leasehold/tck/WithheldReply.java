package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How {@link FaultyStore} tells {@link ManualTime} that an answer comes later, or never. */
final class WithheldReply extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final @Nullable Duration delay;
    private final transient @Nullable Object result;
    private final @Nullable RuntimeException failure;

    WithheldReply(@Nullable Duration delay, @Nullable Object result, @Nullable RuntimeException failure) {
        super("reply withheld", null, false, false);
        this.delay = delay;
        this.result = result;
        this.failure = failure;
    }

    /** How much later the answer comes; empty if never. */
    Optional<Duration> delay() {
        return Optional.ofNullable(delay);
    }

    @SuppressWarnings("unchecked") // The result was made by the very call that the reply is for.
    <T> void passOn(Clockwork.Reply<T> reply) {
        if (failure != null) {
            reply.failed(failure);
        } else if (result != null) {
            reply.answered((T) result);
        }
    }
}
