package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("Commands on PostgreSQL")
class PostgresCommandsTest extends CommandsContract {
    private Database database;

    @Override
    String url() {
        return database.url() + (database.url().contains("?") ? "&" : "?") + "user=" + database.user() + "&password="
                + database.password();
    }

    @Override
    @BeforeEach
    void open() {
        database = PostgresServer.shared(18).freshDatabase();
        assertThat(Answer.of("schema", "--apply", "--store", url()).code()).isZero();
        super.open();
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        database.close();
    }

    @Test
    @DisplayName("A password in the URL is shown to nobody")
    void thePasswordIsASecret() {
        Answer answer = Answer.of("doctor", "--store", url());
        assertThat(answer.out()).contains("password=***").doesNotContain(database.password());
    }

    @Test
    @DisplayName("A server that is not there is 69, from every command")
    void noServerIsUnavailable() {
        String nowhere = "jdbc:postgresql://127.0.0.1:1/nothing";
        assertThat(Answer.of("list", "--store", nowhere).code()).isEqualTo(69);
        assertThat(Answer.of("acquire", "--key", "k", "--store", nowhere).err())
                .contains("The store cannot be reached");
        Answer doctor = Answer.of("doctor", "--store", nowhere);
        assertThat(doctor.code()).isEqualTo(69);
        assertThat(doctor.out()).contains("✗  reach", "→ Is the server up");
    }
}
