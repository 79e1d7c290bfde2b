package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.Key;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A store by its URL")
class StoreUrlTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("is opened and given to the clients")
    void opens() {
        Contexts.plain().withPropertyValues("leasehold.store-url=memory:").run(context -> {
            assertThat(context.getBean(Leases.class).store().name()).isEqualTo("memory");
            assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                    .isTrue();
        });
    }

    @Test
    @DisplayName("goes before the application's own DataSource")
    void goesFirst() {
        Contexts.h2()
                .withPropertyValues("leasehold.store-url=memory:")
                .run(context ->
                        assertThat(context.getBean(Leases.class).store().name()).isEqualTo("memory"));
    }

    @Test
    @DisplayName("gets its tables if leasehold.create-tables is set, and names them and the property if not")
    void tables() {
        String url = "leasehold.store-url=sqlite:" + directory.resolve("leases.db");
        Contexts.plain()
                .withPropertyValues(url)
                .run(context -> assertThat(Contexts.failure(context))
                        .contains("no database")
                        .contains("leasehold.create-tables=true")
                        .contains("CREATE TABLE"));
        Contexts.plain()
                .withPropertyValues(url, "leasehold.create-tables=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("that cannot be read, or whose module or driver is missing, is reported with what to change")
    void mistakes() {
        assertThat(failure("nonsense")).contains("leasehold.store-url").contains("scheme");
        assertThat(failure("etcd://host")).contains("leasehold.store-url").contains("\"etcd:\"");
        assertThat(failure("jdbc:oracle:thin:@host"))
                .contains("leasehold.store-url")
                .contains("\"jdbc:oracle:\"");
    }

    @Test
    @DisplayName("takes user and password from properties, and shows neither")
    void login() {
        Contexts.plain()
                .withPropertyValues(
                        "leasehold.store-url=jdbc:h2:mem:login;DB_CLOSE_DELAY=-1",
                        "leasehold.store-user=ann",
                        "leasehold.store-password=s3cret",
                        "leasehold.create-tables=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LeaseholdProperties properties = context.getBean(LeaseholdProperties.class);
                    assertThat(properties.storeUser()).isEqualTo("ann");
                    assertThat(properties.toString()).doesNotContain("s3cret");
                });
        assertThat(Contexts.failureOf(
                        "leasehold.store-url=jdbc:postgresql://localhost:1/db", "leasehold.store-password=s3cret"))
                .contains("leasehold.store-url")
                .doesNotContain("s3cret");
    }

    @Test
    @DisplayName("is not opened if the application has a LeaseStore of its own")
    void ownStore() {
        Contexts.plain()
                .withBean(dev.leasehold.store.LeaseStore.class, dev.leasehold.memory.MemoryLeaseStore::new)
                .withPropertyValues("leasehold.store-url=nonsense")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("is left alone by an application that has clients of its own")
    void ownClients() {
        Leases own = Leases.on(new dev.leasehold.memory.MemoryLeaseStore());
        Contexts.plain()
                .withPropertyValues("leasehold.store-url=memory:")
                .withBean(Leases.class, () -> own)
                .run(context -> {
                    assertThat(context).hasSingleBean(Leases.class).hasSingleBean(Leasehold.class);
                    assertThat(context.getBean(Leasehold.class).leases()).isSameAs(own);
                });
    }

    @Test
    @DisplayName("is closed after the client, which gives its leases back")
    void closing() {
        dev.leasehold.memory.MemoryLeaseStore store = new dev.leasehold.memory.MemoryLeaseStore();
        Contexts.plain()
                .withBean(
                        dev.leasehold.store.LeaseStore.class,
                        () -> store,
                        definition -> definition.setDestroyMethodName(""))
                .run(context -> context.getBean(Leases.class).tryAcquire("kept").orElseThrow());
        assertThat(store.find(Key.of("kept"))
                        .map(found -> found.record().state() == dev.leasehold.store.State.HELD)
                        .orElse(false))
                .isFalse();
    }

    @Test
    @DisplayName("with settings that cannot be bound is reported by name")
    void binding() {
        Contexts.plain()
                .withPropertyValues("leasehold.store-url=memory:", "leasehold.ttl=soon")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("soon"));
        Contexts.plain()
                .withPropertyValues("leasehold.store=etcd")
                .run(context -> assertThat(context).hasFailed());
    }

    private static String failure(String url) {
        String said = Contexts.failureOf("leasehold.store-url=" + url);
        assertThat(said).isNotEmpty();
        return said;
    }

    @Test
    @DisplayName("and owner and history are taken over")
    void clientSettings() {
        Contexts.plain()
                .withPropertyValues("leasehold.store-url=memory:", "leasehold.owner=worker 7", "leasehold.history=7d")
                .run(context -> assertThat(context.getBean(Leases.class)
                                .tryAcquire("owned")
                                .orElseThrow()
                                .owner()
                                .toString())
                        .isEqualTo("worker 7"));
        assertThat(new StartException("a", "b", null)).hasMessage("a b");
    }
}
