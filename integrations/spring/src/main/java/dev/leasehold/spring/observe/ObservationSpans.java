package dev.leasehold.spring.observe;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Spans by Micrometer's observations. The lock's name is of low cardinality, key and fence are of high. */
final class ObservationSpans implements Spans {
    private final ObservationRegistry registry;

    ObservationSpans(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T observe(Kind kind, String name, Key key, Step<T, X> step)
            throws X {
        Observation observation = Observation.createNotStarted(kind.observation(), registry)
                .contextualName(kind.span())
                .lowCardinalityKeyValue("lock.name", name)
                .highCardinalityKeyValue(LogFields.KEY, key.value());
        Ended ended = new Ended(observation);
        observation.start();
        Observation.Scope scope = observation.openScope();
        try {
            return step.take(ended);
        } catch (Throwable e) {
            observation.error(e);
            throw e;
        } finally {
            scope.close();
            ended.stop();
        }
    }

    /** Every observation has all its key names, as registries want it. */
    private static final class Ended implements Span {
        private final Observation observation;
        private String outcome = "none";

        Ended(Observation observation) {
            this.observation = observation;
        }

        @Override
        public void fence(Fence fence) {
            observation.highCardinalityKeyValue(LogFields.FENCE, fence.toString());
        }

        @Override
        public void outcome(String word) {
            outcome = word;
        }

        void stop() {
            observation.lowCardinalityKeyValue(KeyValue.of("outcome", outcome));
            observation.stop();
        }
    }
}
