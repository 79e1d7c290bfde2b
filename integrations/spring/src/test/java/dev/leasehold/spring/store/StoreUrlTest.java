package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@DisplayName("A store by its URL")
class StoreUrlTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(StoreAutoConfiguration.class));

    @Test
    @DisplayName("is opened and given to the clients")
    void opens() {
        runner.withPropertyValues("leasehold.store-url=memory:").run(context -> {
            assertThat(context.getBean(Leases.class).store().name()).isEqualTo("memory");
            assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {})).isTrue();
        });
    }
}
