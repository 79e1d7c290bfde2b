package dev.leasehold.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.bridge.RealStore;
import dev.leasehold.store.Fence;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@DisplayName("An operator")
@Timeout(120)
class ObserveTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String key = "nightly " + UUID.randomUUID() + "/ä";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        LeaseStore store() {
            return RealStore.POSTGRESQL.open();
        }

        @Bean
        Leases leases(LeaseStore store) {
            return Leases.builder(store).withoutShutdownHook().withoutLog().build();
        }

        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false")
                .properties(properties)
                .run();
    }

    private static HttpResponse<String> send(ConfigurableApplicationContext app, String method, String path)
            throws IOException, InterruptedException {
        int port = ((WebServerApplicationContext) app).getWebServer().getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("has no endpoint until access is granted, even if it is exposed")
    void closed() throws Exception {
        try (ConfigurableApplicationContext app = start("management.endpoints.web.exposure.include=*")) {
            assertThat(send(app, "GET", "/actuator/leasehold").statusCode()).isEqualTo(404);
            assertThat(app.getBeansOfType(LeaseholdEndpoint.class)).isEmpty();
        }
    }

    @Test
    @DisplayName("lists, shows and takes away leases by the endpoint, with fence, name and reason")
    void endpoint() throws Exception {
        try (ConfigurableApplicationContext app = start(
                "management.endpoints.web.exposure.include=*", "management.endpoint.leasehold.access=unrestricted")) {
            Leases leases = app.getBean(Leases.class);
            Lease lease = leases.tryAcquire(key).orElseThrow();
            String query = "?key=" + encoded(key);
            HttpResponse<String> shown = send(app, "GET", "/actuator/leasehold" + query);
            assertThat(shown.statusCode()).isEqualTo(200);
            assertThat(shown.body())
                    .contains(
                            key,
                            "\"held\"",
                            lease.fence().toString(),
                            lease.owner().label());
            assertThat(send(app, "GET", "/actuator/leasehold?prefix=nightly").body())
                    .contains(key);
            assertThat(send(app, "GET", "/actuator/leasehold?prefix=xyz").body())
                    .contains("\"leases\":[]");

            Fence wrong = Fence.of(lease.fence().value() - 1);
            String end = query + "&reason=" + encoded("it hangs") + "&fence=";
            assertThat(send(app, "DELETE", "/actuator/leasehold" + end + wrong).body())
                    .contains("\"changed\"");
            assertThat(send(app, "DELETE", "/actuator/leasehold" + query + "&fence=" + lease.fence())
                            .statusCode())
                    .isEqualTo(400);
            assertThat(lease.renew()).isNotNull();
            assertThat(send(app, "DELETE", "/actuator/leasehold" + end + lease.fence())
                            .body())
                    .contains("\"released\"");
            assertThat(leases.store().find(Key.of(key)).orElseThrow().isHeld()).isFalse();
            assertThat(leases.store().history().orElseThrow().read(HistoryRequest.of(Key.of(key))).stream()
                            .map(Object::toString)
                            .collect(Collectors.joining()))
                    .contains(HistoryKind.FORCED.toString(), "it hangs", "actuator");
        }
    }

    @Test
    @DisplayName("may read and not release, with read-only access")
    void readOnly() throws Exception {
        try (ConfigurableApplicationContext app = start(
                "management.endpoints.web.exposure.include=*", "management.endpoint.leasehold.access=read-only")) {
            assertThat(send(app, "GET", "/actuator/leasehold").statusCode()).isEqualTo(200);
            assertThat(send(app, "DELETE", "/actuator/leasehold?key=x&fence=1&reason=y")
                            .statusCode())
                    .isEqualTo(405);
        }
    }

    @Test
    @DisplayName("sees the store's health, which is in neither probe")
    void health() throws Exception {
        try (ConfigurableApplicationContext app = start(
                "management.endpoint.health.show-details=always", "management.endpoint.health.probes.enabled=true")) {
            assertThat(send(app, "GET", "/actuator/health/leasehold").body()).contains("UP", "postgresql");
            app.getBean(LeaseStore.class).close();
            HttpResponse<String> down = send(app, "GET", "/actuator/health/leasehold");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(send(app, "GET", "/actuator/health/readiness").statusCode())
                    .isEqualTo(200);
            assertThat(send(app, "GET", "/actuator/health/liveness").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    @DisplayName("sees meters by the names of the properties")
    void meters() {
        try (ConfigurableApplicationContext app = start("leasehold.observe.names=batch,sync/*")) {
            MeterRegistry registry = app.getBean(MeterRegistry.class);
            assertThat(registry.get("leasehold.held")
                            .tag("lock.name", "sync/*")
                            .gauge()
                            .value())
                    .isZero();
            Lease lease = app.getBean(Leases.class)
                    .tryAcquire(Key.of("sync", UUID.randomUUID().toString()))
                    .orElseThrow();
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (registry.get("leasehold.held")
                            .tag("lock.name", "sync/*")
                            .gauge()
                            .value()
                    < 1) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
            }
            lease.release();
        }
    }

    @Test
    @DisplayName("reads key and fence as fields of log lines")
    void log() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.leasehold.lease");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);
        Duration life = Duration.ofSeconds(1);
        try (LeaseStore store = RealStore.POSTGRESQL.open();
                Leases leases =
                        Leases.builder(store).listenersFirst().withoutLog().build()) {
            leases.onEvent(new LeaseLog());
            Lease lease = leases.tryAcquire(
                            key, LeaseOptions.defaults().withTtl(life).withLongestLife(life))
                    .orElseThrow();
            while (lines.list.isEmpty()) {
                Thread.sleep(20);
            }
            ILoggingEvent line = lines.list.get(0);
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains("lost", key);
            Map<String, Object> fields =
                    line.getKeyValuePairs().stream().collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
            assertThat(fields)
                    .containsEntry("leasehold.key", Key.of(key))
                    .containsEntry("leasehold.fence", lease.fence())
                    .containsEntry("leasehold.event", "lock:lost");
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
    }

    @Test
    @DisplayName("finds key and fence in the lines of the work, and what was there before afterwards")
    void logFields() {
        MDC.put(LogFields.KEY, "outer");
        try (LogFields fields = LogFields.of(Key.of("inner"), Fence.of(7))) {
            assertThat(fields).isNotNull();
            assertThat(MDC.get("leasehold.key")).isEqualTo("inner");
            assertThat(MDC.get("leasehold.fence")).isEqualTo("7");
        }
        assertThat(MDC.get("leasehold.key")).isEqualTo("outer");
        assertThat(MDC.get("leasehold.fence")).isNull();
        MDC.clear();
    }

    @Test
    @DisplayName("sees spans with the name as a tag, and key and fence of high cardinality")
    void spans() {
        TestObservationRegistry registry = TestObservationRegistry.create();
        Spans spans = new ObservationSpans(registry);
        String done = spans.observe(Spans.Kind.RUN, "sync/*", Key.of("sync/food"), span -> {
            span.fence(Fence.of(7));
            span.outcome("Ran");
            return "done";
        });
        assertThat(done).isEqualTo("done");
        assertThatThrownBy(() -> spans.observe(Spans.Kind.ACQUIRE, "x", Key.of("x"), span -> {
                    throw new IOException("broken");
                }))
                .isInstanceOf(IOException.class);
        TestObservationRegistryAssert.assertThat(registry)
                .hasObservationWithNameEqualTo("leasehold.run")
                .that()
                .hasContextualNameEqualTo("leasehold run")
                .hasLowCardinalityKeyValue("lock.name", "sync/*")
                .hasLowCardinalityKeyValue("outcome", "Ran")
                .hasHighCardinalityKeyValue("leasehold.key", "sync/food")
                .hasHighCardinalityKeyValue("leasehold.fence", "7")
                .hasBeenStopped()
                .doesNotHaveError();
        TestObservationRegistryAssert.assertThat(registry)
                .hasObservationWithNameEqualTo("leasehold.acquire")
                .that()
                .hasError();
        assertThat(List.of(Spans.Kind.values())).hasSize(2);
    }
}
