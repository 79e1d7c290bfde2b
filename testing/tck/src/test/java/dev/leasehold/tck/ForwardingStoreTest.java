package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.RecordTraits;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A store around another one")
class ForwardingStoreTest {
    static Stream<Method> defaultMethods() {
        return Stream.of(LeaseStore.class.getMethods()).filter(Method::isDefault);
    }

    @ParameterizedTest
    @MethodSource("defaultMethods")
    @DisplayName("forwards also what has a default, which would otherwise hide the answer of the other store")
    void defaultsAreForwarded(Method method) {
        assertThatCode(() -> ForwardingStore.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                .doesNotThrowAnyException();
    }

    @Test
    @DisplayName("says what the records of the other store can keep, also if it is faulty")
    void recordsAreForwarded() {
        RecordTraits traits = RecordTraits.of("analyses");
        LeaseStore store = new ForwardingStore(new MemoryLeaseStore()) {
            @Override
            public Optional<RecordTraits> recordTraits() {
                return Optional.of(traits);
            }
        };
        assertThat(FaultyStore.inManualTime(store).recordTraits()).contains(traits);
    }
}
