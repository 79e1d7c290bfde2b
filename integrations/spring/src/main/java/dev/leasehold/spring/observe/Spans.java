package dev.leasehold.spring.observe;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;

/** Spans of calls that acquire leases and do runs. Without Micrometer's observations there are none: {@link #NONE}. */
public interface Spans {
    /** Makes no spans. */
    Spans NONE = new Spans() {
        @Override
        public <T extends @Nullable Object, X extends Exception> T observe(
                Kind kind, String name, Key key, Step<T, X> step) throws X {
            return step.take(new Span() {});
        }
    };

    /** What is done in a span. */
    enum Kind {
        ACQUIRE("leasehold.acquire", "leasehold acquire"),
        RUN("leasehold.run", "leasehold run");

        private final String observation;
        private final String span;

        Kind(String observation, String span) {
            this.observation = observation;
            this.span = span;
        }

        /** The name of its meters. */
        String observation() {
            return observation;
        }

        /** The name of its spans. */
        String span() {
            return span;
        }
    }

    /** What is known only within. */
    interface Span {
        /** The fence of the lease: of high cardinality. */
        default void fence(Fence fence) {}

        /** How it ended, in one of a few words. */
        default void outcome(String word) {}
    }

    /** The work of a span. */
    interface Step<T extends @Nullable Object, X extends Exception> {
        T take(Span span) throws X;
    }

    /**
     * Takes the step in a span of this kind.
     *
     * @param name the lock's name, of low cardinality; see {@link LockNames}
     */
    <T extends @Nullable Object, X extends Exception> T observe(Kind kind, String name, Key key, Step<T, X> step)
            throws X;
}
