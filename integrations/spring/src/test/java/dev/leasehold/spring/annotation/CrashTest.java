package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.Key;
import dev.leasehold.store.State;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@Timeout(180)
@DisplayName("A process that dies in a run with a transaction")
class CrashTest {
    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}")
    @CsvSource({"BEFORE_COMMIT, 0", "AFTER_COMMIT, 1"})
    @DisplayName("leaves effect and answer, or neither; the next caller makes both or is given the answer")
    void dies(Crash.Moment moment, int left) throws Exception {
        try (Database database = PostgresServer.shared(18).freshDatabase();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effects (id int)");

            assertThat(child(moment, database)).isEqualTo(Crash.EXIT_CODE);
            assertThat(count(statement, "effects")).isEqualTo(left);
            try (JdbcLeaseStore store = JdbcLeaseStore.of(database.url(), database.user(), database.password())) {
                State state = store.find(Key.of("crash")).orElseThrow().record().state();
                assertThat(state).isEqualTo(left == 1 ? State.DONE : State.HELD);
            }

            assertThat(Crash.run(Crash.Moment.NEVER, database.url(), database.user(), database.password()))
                    .isEqualTo("the answer");
            assertThat(count(statement, "effects")).isEqualTo(1);
        }
    }

    private int child(Crash.Moment moment, Database database) throws Exception {
        Path log = directory.resolve("log");
        String libraries = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        libraries,
                        Crash.class.getName(),
                        moment.name(),
                        database.url(),
                        database.user(),
                        database.password())
                .redirectErrorStream(true)
                .redirectOutput(new File(log.toString()))
                .start();
        try {
            assertThat(process.waitFor(90, TimeUnit.SECONDS))
                    .as(Files.readString(log))
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static int count(Statement statement, String what) throws SQLException {
        try (var rows = statement.executeQuery("SELECT count(*) FROM " + what)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
