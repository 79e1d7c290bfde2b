package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Commands on Redis")
class RedisCommandsTest extends CommandsContract {
    private final RedisServer server = RedisServer.shared(Config.relaxed());

    @TempDir
    private Path home;

    private String database;

    @Override
    String url() {
        return database + "?accept=lost-writes";
    }

    @Override
    @BeforeEach
    void open() {
        database = server.freshDatabase();
        super.open();
    }

    @Test
    @DisplayName("A password in the URL is shown to nobody")
    void thePasswordIsASecret() {
        Answer answer = Answer.of("doctor", "--store", url());
        assertThat(answer.out()).contains("redis://:***@").doesNotContain(server.password());
    }

    @Test
    @DisplayName("A server that is not there is 69")
    void noServerIsUnavailable() {
        Answer answer = Answer.of("list", "--store", "redis://127.0.0.1:1");
        assertThat(answer.code()).isEqualTo(69);
        assertThat(answer.err()).contains("The store cannot be reached");
    }

    @Test
    @DisplayName("Redis needs no schema")
    void noSchema() {
        Answer answer = Answer.of("schema", "--store", url());
        assertThat(answer.code()).isZero();
        assertThat(answer.err()).contains("nothing has to be created");
    }

    @Test
    @Tag("slow")
    @DisplayName("A command runs under a lease, with the password beside the URL, and says nothing of its own")
    void runs() {
        String place = database.replace(":" + server.password() + "@", "");
        Cli cli = new Cli(home).with("LEASEHOLD_STORE_PASSWORD", server.password());
        Run run = cli.with("LEASEHOLD_STORE", place + "?accept=lost-writes")
                .run("run", "--key", "job", "--", "sh", "-c", "echo fence $LEASEHOLD_FENCE");
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).matches("fence \\d+\n");
        assertThat(run.code()).isZero();

        Run warned = cli.with("LEASEHOLD_STORE", place).run("run", "--key", "job", "--", "true");
        assertThat(warned.code()).isZero();
        assertThat(warned.err().lines())
                .singleElement()
                .asString()
                .startsWith("leasehold: Leases in this Redis save work")
                .contains("accept=lost-writes");
    }
}
