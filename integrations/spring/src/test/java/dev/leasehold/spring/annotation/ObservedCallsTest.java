package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.spring.observe.LockNames;
import dev.leasehold.spring.observe.ObserveAutoConfiguration;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Timeout(60)
@DisplayName("An annotated call")
class ObservedCallsTest {
    private final TestObservationRegistry registry = TestObservationRegistry.create();

    private final ApplicationContextRunner runner = Application.inMemory()
            .withConfiguration(AutoConfigurations.of(ObserveAutoConfiguration.class))
            .withBean(TestObservationRegistry.class, () -> registry)
            .withBean(Sheets.class);

    static class Sheets {
        @Locked(key = "sync/#{#sheet}")
        public Map<String, String> sync(String sheet) {
            return MDC.getCopyOfContextMap();
        }

        @RunOnce(key = "pay/user-#{#user}/#{#order}", retain = "1d")
        public String pay(String user, String order, Fence fence) {
            return fence.toString();
        }
    }

    @Test
    @DisplayName("has a name before the first call: its key, with a star for each part that differs")
    void names() {
        runner.run(context -> {
            LockNames names = context.getBean(LockNames.class);
            assertThat(names.of(Key.of("sync/food"))).isEqualTo("sync/*");
            assertThat(names.of(Key.of("pay/user-7/1"))).isEqualTo("pay/*/*");
            assertThat(names.of(Key.of("other/food"))).isEqualTo(LockNames.OTHER);
        });
    }

    @Test
    @DisplayName("gives key and fence to its log lines")
    void logFields() {
        runner.run(context -> {
            Map<String, String> fields = context.getBean(Sheets.class).sync("food");
            assertThat(fields).containsEntry("leasehold.key", "sync/food").containsKey("leasehold.fence");
            assertThat(MDC.get("leasehold.key")).isNull();
        });
    }

    @Test
    @DisplayName("has a span of its lease or of its run, with name, outcome, key and fence")
    void spans() {
        runner.run(context -> {
            Sheets sheets = context.getBean(Sheets.class);
            sheets.sync("food");
            String fence = sheets.pay("7", "1", null);
            TestObservationRegistryAssert.assertThat(registry)
                    .hasObservationWithNameEqualTo("leasehold.acquire")
                    .that()
                    .hasLowCardinalityKeyValue("lock.name", "sync/*")
                    .hasLowCardinalityKeyValue("outcome", "Acquired")
                    .hasHighCardinalityKeyValue("leasehold.key", "sync/food")
                    .hasBeenStopped();
            TestObservationRegistryAssert.assertThat(registry)
                    .hasObservationWithNameEqualTo("leasehold.run")
                    .that()
                    .hasLowCardinalityKeyValue("lock.name", "pay/*/*")
                    .hasLowCardinalityKeyValue("outcome", "Ran")
                    .hasHighCardinalityKeyValue("leasehold.fence", fence)
                    .hasBeenStopped();
        });
    }
}
