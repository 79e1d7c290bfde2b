package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs a small application on a class path that really lacks a library. Spring Data Redis needs spring-tx itself. */
@Tag("slow")
@DisplayName("An application")
class AbsentLibrariesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring-tx-.*|spring-data-redis-.*|spring-boot-data-redis-.*",
                "spring-jdbc-.*",
                "spring-data-redis-.*|spring-boot-data-redis-.*",
                "jedis-.*",
                "lettuce-core-.*",
                "flyway-.*|spring-boot-flyway-.*",
                "liquibase-.*|spring-boot-liquibase-.*",
                "google-cloud-firestore-.*",
                "jackson-.*",
                "micrometer-.*",
                "spring-boot-jdbc-.*|spring-boot-sql-.*|spring-jdbc-.*|HikariCP-.*|spring-tx-.*"
                        + "|spring-boot-transaction-.*|spring-data-redis-.*|spring-boot-data-redis-.*",
                "leasehold-jdbc-.*|stores/jdbc/.*",
                "leasehold-redis-.*|stores/redis/.*",
                "leasehold-firestore-.*|stores/firestore/.*",
                "leasehold-jackson-.*|integrations/jackson/.*",
                "spring-tx-.*|spring-jdbc-.*|spring-boot-(jdbc|sql|transaction|flyway|liquibase|data-redis)-.*|jackson-.*"
                        + "|leasehold-(jdbc|redis|firestore|jackson)-.*|(stores|integrations/jackson)/.*|jedis-.*|lettuce-.*"
                        + "|flyway-.*|liquibase-.*|google-.*|spring-data-.*|micrometer-core-.*|spring-web.*|reactor-.*"
            })
    @DisplayName("starts and locks without an optional library")
    void starts(String absent) throws Exception {
        Pattern pattern = Pattern.compile(".*/(" + absent + ")");
        List<URL> libraries = new ArrayList<>();
        int left = 0;
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : path.split(File.pathSeparator, -1)) {
            File file = new File(entry);
            if (pattern.matcher(file.getPath() + (file.isDirectory() ? "/" : ""))
                    .matches()) {
                left++;
            } else {
                libraries.add(file.toURI().toURL());
            }
        }
        assertThat(left).as("libraries left out").isPositive();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(libraries.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Object said = loader.loadClass(SmallApplication.class.getName())
                    .getMethod("run")
                    .invoke(null);
            assertThat(said).isEqualTo("worked, skipped, 1");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
