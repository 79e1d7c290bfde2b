package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.store.LeaseStore;
import java.sql.Connection;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@DisplayName("The application's own database")
class OwnDatabaseTest {
    @Test
    @DisplayName("without tables stops the start, with the property and the statements of its own dialect")
    void missingTables() {
        Contexts.h2()
                .run(context -> assertThat(Contexts.failure(context))
                        .contains("leasehold.create-tables=true")
                        .contains("CREATE TABLE")
                        .contains("leasehold_lease"));
    }

    @Test
    @DisplayName("gets its tables from leasehold.create-tables, and is the store")
    void createTables() {
        Contexts.h2().withPropertyValues("leasehold.create-tables=true").run(context -> {
            assertThat(context.getBean(LeaseStore.class)).isInstanceOf(JdbcLeaseStore.class);
            assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                    .isTrue();
        });
    }

    @Test
    @DisplayName("gets its tables after Flyway's migrations, which do not know of them")
    void flyway() {
        ApplicationContextRunner runner = Contexts.h2()
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.flyway.locations=classpath:migrations");
        runner.run(context -> {
            assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                    .isTrue();
            assertThat(count(
                            context.getBean(DataSource.class),
                            "FROM \"flyway_schema_history\" WHERE \"script\" = 'V1__sheets.sql'"))
                    .isEqualTo(1);
            assertThat(count(
                            context.getBean(DataSource.class),
                            "FROM \"flyway_schema_history\" WHERE lower(\"description\") LIKE '%leasehold%'"))
                    .isZero();
        });
        runner.withPropertyValues("leasehold.create-tables=false")
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:forbidden")
                .run(context -> assertThat(Contexts.failure(context)).contains("CREATE TABLE"));
    }

    @Test
    @DisplayName("gets its tables after Liquibase's changes")
    void liquibase() {
        Contexts.h2()
                .withConfiguration(AutoConfigurations.of(LiquibaseAutoConfiguration.class))
                .withPropertyValues("spring.liquibase.change-log=classpath:changes/changes.sql")
                .run(context -> {
                    assertThat(context.getBean(Leasehold.class).runIfFree("nightly", lease -> {}))
                            .isTrue();
                    assertThat(count(context.getBean(DataSource.class), "FROM databasechangelog"))
                            .isEqualTo(1);
                });
    }

    private static long count(DataSource source, String what) throws Exception {
        try (Connection connection = source.getConnection();
                var rows = connection.createStatement().executeQuery("SELECT count(*) " + what)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    @DisplayName("beside another one, without a primary, stops the start")
    void twoDatabases() {
        Contexts.plain()
                .withBean("first", DataSource.class, JdbcDataSource::new)
                .withBean("second", DataSource.class, JdbcDataSource::new)
                .run(context -> assertThat(Contexts.failure(context))
                        .contains("more than one DataSource")
                        .contains("@Primary"));
    }

    @Test
    @DisplayName("is no store without the module leasehold-jdbc, which is named then")
    void withoutModule() {
        Contexts.h2()
                .withClassLoader(new FilteredClassLoader(JdbcLeaseStore.class))
                .run(context -> assertThat(Contexts.failure(context))
                        .contains("no place for its leases")
                        .contains("dev.leasehold:leasehold-jdbc")
                        .contains("leasehold.store-url"));
    }

    @Test
    @DisplayName("that is wanted but missing is named, with the module")
    void wantedButMissing() {
        assertThat(Contexts.failureOf("leasehold.store=jdbc"))
                .contains("leasehold.store is jdbc")
                .contains("a DataSource")
                .contains("dev.leasehold:leasehold-jdbc");
    }

    @Test
    @DisplayName("is not needed: without a store the start says what there could be")
    void nothing() {
        assertThat(Contexts.failureOf())
                .contains("leasehold-jdbc")
                .contains("leasehold-redis")
                .contains("leasehold-firestore")
                .contains("leasehold.store-url");
    }

    @Test
    @DisplayName("whose settings break a promise is refused with the reason")
    void badSettings() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(StoreAutoConfiguration.class, DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=jdbc:sqlite::memory:?journal_mode=OFF", "leasehold.connections=0")
                .run(context -> assertThat(context).hasFailed());
    }
}
