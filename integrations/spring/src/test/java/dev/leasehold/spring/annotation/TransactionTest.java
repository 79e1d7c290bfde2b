package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Run;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.State;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@Timeout(120)
@DisplayName("With a transaction")
class TransactionTest {
    enum Kind {
        POSTGRESQL,
        H2,
        SQLITE
    }

    @TempDir
    private Path directory;

    private Database database;

    @AfterEach
    void drop() {
        if (database != null) {
            database.close();
        }
    }

    static class Sheets {
        private final JdbcTemplate jdbc;
        private final LeaseStore store;
        volatile Runnable atEnd = () -> {};

        Sheets(JdbcTemplate jdbc, LeaseStore store) {
            this.jdbc = jdbc;
            this.store = store;
        }

        @Locked(key = "sheet/#{#id}")
        @Transactional
        public String locked(String id) {
            insert(id);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    assertThat(state("sheet/" + id)).isEqualTo(State.HELD);
                    atEnd.run();
                }
            });
            return id;
        }

        @RunOnce(key = "sheet/#{#id}")
        @Transactional
        public String once(String id, Run<String> run) {
            insert(id);
            atEnd.run();
            return "answer to " + id;
        }

        @RunOnce(key = "sheet/#{#id}")
        @Transactional
        public String overtaken(String id, Run<String> run) {
            insert(id);
            // Another connection, as an operator has it.
            store.release(ReleaseRequest.of(run.ref()));
            return id;
        }

        @RunOnce(key = "own/#{#id}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String own(String id) {
            insert(id);
            return id;
        }

        @Locked(key = "plain")
        public void plain() {}

        void insert(String id) {
            jdbc.update("INSERT INTO sheets VALUES (?)", id);
        }

        State state(String key) {
            return store.find(Key.of(key)).map(found -> found.record().state()).orElse(State.FREE);
        }

        int count(String id) {
            return jdbc.queryForObject("SELECT count(*) FROM sheets WHERE id = ?", Integer.class, id);
        }
    }

    private ApplicationContextRunner runner(Kind kind) {
        String url;
        String[] login = {"", ""};
        switch (kind) {
            case POSTGRESQL -> {
                database = PostgresServer.shared(18).freshDatabase();
                url = database.url();
                login = new String[] {database.user(), database.password()};
            }
            case H2 -> url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
            default -> url = "jdbc:sqlite:" + directory.resolve("test.db") + "?busy_timeout=5000";
        }
        return Application.plain()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=" + login[0],
                        "spring.datasource.password=" + login[1],
                        "leasehold.create-tables=true")
                .withBean(Sheets.class);
    }

    private interface Checks {
        void check(Sheets sheets, org.springframework.context.ApplicationContext context) throws Exception;
    }

    private void run(Kind kind, Checks checks) {
        runner(kind).run(context -> {
            context.getBean(JdbcTemplate.class).execute("CREATE TABLE sheets (id VARCHAR(40))");
            checks.check(context.getBean(Sheets.class), context);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a lock is held until after the commit")
    void lockEndsAfterCommit(Kind kind) {
        run(kind, (sheets, context) -> {
            boolean[] isCommitted = new boolean[1];
            Target.of(sheets).atEnd = () -> isCommitted[0] = true;
            assertThat(sheets.locked("a")).isEqualTo("a");
            assertThat(isCommitted[0]).isTrue();
            assertThat(sheets.count("a")).isEqualTo(1);
            assertThat(sheets.state("sheet/a")).isEqualTo(State.FREE);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("effect and answer of a run are committed together")
    void effectAndAnswer(Kind kind) {
        run(kind, (sheets, context) -> {
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.count("a")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("effect and answer of a run that throws are rolled back together, and the next caller runs")
    void rollback(Kind kind) {
        run(kind, (sheets, context) -> {
            Target.of(sheets).atEnd = () -> {
                throw new IllegalStateException("after its first write");
            };
            assertThatThrownBy(() -> sheets.once("a", null)).hasMessage("after its first write");
            assertThat(sheets.count("a")).isZero();
            Target.of(sheets).atEnd = () -> {};
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.count("a")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("no answer is kept if the method only marks the transaction for rollback")
    void rollbackOnly(Kind kind) {
        run(kind, (sheets, context) -> {
            Target.of(sheets).atEnd =
                    () -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            assertThatThrownBy(() -> sheets.once("a", null)).hasMessageContaining("rolled back");
            assertThat(sheets.count("a")).isZero();
            assertThat(sheets.state("sheet/a")).isNotEqualTo(State.DONE);
            Target.of(sheets).atEnd = () -> {};
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "H2"})
    @DisplayName("a run that was taken away commits nothing")
    void overtaken(Kind kind) {
        run(kind, (sheets, context) -> {
            assertThatThrownBy(() -> sheets.overtaken("a", null)).isInstanceOf(StaleLeaseException.class);
            assertThat(sheets.count("a")).isZero();
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.count("a")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an error after the commit changes nothing about the answer")
    void errorAfterCommit(Kind kind) {
        run(kind, (sheets, context) -> {
            Target.of(sheets).atEnd = () ->
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            throw new IllegalStateException("after the commit");
                        }
                    });
            assertThatThrownBy(() -> sheets.once("a", null)).hasMessage("after the commit");
            Target.of(sheets).atEnd = () -> {};
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.count("a")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource(names = "H2")
    @DisplayName("of the caller's, a call is refused unless its method begins one of its own")
    void callersTransaction(Kind kind) {
        run(kind, (sheets, context) -> {
            TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> sheets.plain()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Sheets.plain()")
                    .hasMessageContaining("inside a transaction");
            assertThatThrownBy(() -> transaction.execute(status -> sheets.once("a", null)))
                    .hasMessageContaining("Sheets.once(String, Run)");
            assertThat(transaction.<String>execute(status -> {
                        String answer = sheets.own("b");
                        status.setRollbackOnly();
                        return answer;
                    }))
                    .isEqualTo("b");
            assertThat(sheets.own("b")).isEqualTo("b");
            assertThat(sheets.count("b")).isEqualTo(1);
            assertThat(sheets.state("plain")).isEqualTo(State.FREE);
        });
    }

    @ParameterizedTest
    @EnumSource(names = "H2")
    @DisplayName("on a store elsewhere the answer is kept after the commit")
    void storeElsewhere(Kind kind) {
        runner(kind).withPropertyValues("leasehold.store-url=memory:").run(context -> {
            context.getBean(JdbcTemplate.class).execute("CREATE TABLE sheets (id VARCHAR(40))");
            Sheets sheets = context.getBean(Sheets.class);
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.once("a", null)).isEqualTo("answer to a");
            assertThat(sheets.count("a")).isEqualTo(1);
            assertThat(context.getBean(Leases.class).store().name()).isEqualTo("memory");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class Outside {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Usual {}

    @ParameterizedTest
    @EnumSource(names = "H2")
    @DisplayName("that would begin outside the lease, the start is refused")
    void wrongOrder(Kind kind) {
        runner(kind)
                .withUserConfiguration(Outside.class)
                .run(context -> assertThat(Application.failure(context))
                        .contains("outside the lease")
                        .contains("@EnableTransactionManagement"));
        runner(kind)
                .withUserConfiguration(Usual.class)
                .run(context -> assertThat(Application.failure(context)).isEmpty());
    }
}
