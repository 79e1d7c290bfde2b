package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.leasehold.Leasehold;
import dev.leasehold.firestore.FirestoreLeaseStore;
import dev.leasehold.lease.Leases;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.Settings;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;

@DisplayName("The application's own Firestore")
class OwnFirestoreTest {
    @Test
    @DisplayName("is the store, on the application's client, if the module is there")
    void isTheStore() throws Exception {
        try (FirestoreServer server = FirestoreServer.start(Settings.DEFAULT)) {
            Firestore client = FirestoreOptions.newBuilder()
                    .setProjectId("spring")
                    .setEmulatorHost(server.host())
                    .build()
                    .getService();
            Contexts.plain()
                    .withBean(Firestore.class, () -> client, definition -> definition.setDestroyMethodName(""))
                    .run(context -> {
                        assertThat(context.getBean(Leases.class).store()).isInstanceOf(FirestoreLeaseStore.class);
                        assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                                .isTrue();
                    });
            Contexts.plain()
                    .withBean(Firestore.class, () -> client, definition -> definition.setDestroyMethodName(""))
                    .withClassLoader(new FilteredClassLoader(FirestoreLeaseStore.class))
                    .run(context -> assertThat(Contexts.failure(context)).contains("leasehold-firestore"));
            client.shutdown();
        }
    }
}
