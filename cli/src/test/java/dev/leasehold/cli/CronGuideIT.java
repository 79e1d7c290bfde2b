package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** Does what docs/guide/cron.md says, line by line. */
@Tag("slow")
@DisplayName("The guide to cron")
class CronGuideIT {
    private static final Path GUIDE = Path.of("..", "docs", "guide", "cron.md");
    private static final String CRONS_ENVIRONMENT =
            "env -i HOME=\"$PWD\" LOGNAME=cron SHELL=/bin/sh PATH=/usr/bin:/bin";

    @TempDir
    private Path home;

    private Database postgres;
    private Database mariaDb;
    private Guide guide;

    @BeforeEach
    void putInPlace() throws IOException, SQLException {
        postgres = PostgresServer.shared(18).freshDatabase();
        StoreUrl url = StoreUrl.of(postgres.url()).withUser(postgres.user(), postgres.password());
        Stores.createSchema(url);
        mariaDb = MariaDbServer.shared().freshDatabase();
        execute(
                mariaDb,
                "CREATE TABLE worker_lock (lock_key VARCHAR(100) PRIMARY KEY, expires_at DATETIME NOT NULL,"
                        + " KEY (expires_at))");

        Path bin = Files.createDirectory(home.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("leasehold"), Installed.shared().launcher());
        for (String job : List.of("fetch-news", "backup", "report")) {
            Path program = Files.writeString(bin.resolve(job), "#!/bin/sh\necho " + job + " $* ran\n");
            assertThat(program.toFile().setExecutable(true)).isTrue();
        }
        Path postgresPassword = Files.writeString(home.resolve("postgres-password"), postgres.password() + "\n");
        Map<String, String> places = new LinkedHashMap<>();
        places.put("/usr/local/bin", bin.toString());
        places.put("jdbc:postgresql://db.example/app", postgres.url());
        places.put("jdbc:mariadb://db.example/app", mariaDb.url());
        places.put("/etc/leasehold/password", postgresPassword.toString());
        places.put("/tmp/fetch-news.lock", home.resolve("fetch-news.lock").toString());
        guide = Guide.read(GUIDE, places);
    }

    @AfterEach
    void drop() {
        postgres.close();
        mariaDb.close();
    }

    @Test
    @Tag("CRON-5")
    @DisplayName("has lines for crontab that run their jobs in cron's environment")
    void crontab() throws IOException {
        List<String> tables = guide.in("crontab");
        assertThat(tables).hasSize(6);
        for (String table : tables) {
            Database database = table.contains("mariadb") ? mariaDb : postgres;
            Files.writeString(home.resolve("postgres-password"), database.password());
            StringBuilder variables = new StringBuilder();
            for (String line : table.lines().toList()) {
                if (line.matches("[A-Z_]+=.*")) {
                    variables
                            .append(" '")
                            .append(line.replace(
                                    "LEASEHOLD_STORE_USER=cron", "LEASEHOLD_STORE_USER=" + database.user()))
                            .append('\'');
                    continue;
                }
                assertThat(line).matches("(\\S+ ){5}\\S.*").doesNotContain("%");
                String command = line.split(" ", 6)[5];
                Run run = Shell.run(
                        home, "cd '" + home + "' && " + CRONS_ENVIRONMENT + variables + " sh -c '" + command + "'");
                assertThat(run.err()).as(command).isEmpty();
                assertThat(run.out()).as(command).containsPattern("(fetch-news|backup --all) +ran\n");
                assertThat(run.code()).as(command).isZero();
                forgetCooldowns();
            }
        }
    }

    @Test
    @DisplayName("has lines for a shell that work")
    void shell() throws IOException {
        for (String script : guide.in("sh")) {
            for (String line : script.lines().toList()) {
                Run run = Shell.run(
                        home, "cd '" + home + "' && export PATH='" + home.resolve("bin") + "':\"$PATH\"; " + line);
                assertThat(run.code()).as(line + run.err()).isZero();
                assertThat(run.out() + run.err()).as(line).doesNotContain("Usage");
                forgetCooldowns();
            }
        }
        assertThat(home.resolve("r.gz")).isNotEmptyFile();
        assertThat(home.resolve("run.json")).content().contains("\"outcome\":\"ran\"");
    }

    @Test
    @DisplayName("has units that systemd accepts, and whose command runs")
    void systemd() throws IOException {
        List<String> units = guide.in("ini");
        assertThat(units).hasSize(2);
        for (String unit : units) {
            String name = unit.lines().findFirst().orElseThrow().replaceAll(".*/", "");
            Files.writeString(home.resolve(name), unit);
        }
        String verify = "if command -v systemd-analyze >/dev/null; then systemd-analyze verify --man=no ";
        Run verified = Shell.run(home, verify + "'" + home + "'/fetch-news.*; fi");
        assertThat(verified.err()).doesNotContain(home.toString()).doesNotContain("fetch-news");
        assertThat(verified.code()).isZero();

        String service = units.get(0).replace("LEASEHOLD_STORE_USER=cron", "LEASEHOLD_STORE_USER=" + postgres.user());
        String environment = service.lines()
                .filter(line -> line.startsWith("Environment="))
                .map(line -> line.substring("Environment=".length()))
                .collect(Collectors.joining(" "));
        String command = service.lines()
                .filter(line -> line.startsWith("ExecStart="))
                .map(line -> line.substring("ExecStart=".length()))
                .findFirst()
                .orElseThrow();
        Run run = Shell.run(home, "env -i PATH=/usr/bin:/bin " + environment + " " + command);
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("fetch-news ran\n");
    }

    @Test
    @DisplayName("has a CronJob that is YAML, and whose command runs in its environment")
    void kubernetes() {
        Map<?, ?> job = new Yaml().load(guide.in("yaml").get(0));
        assertThat(job.get("kind")).isEqualTo("CronJob");
        Map<?, ?> pod = at(job, "spec", "jobTemplate", "spec", "template", "spec");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
        List<String> command = ((List<?>) container.get("command"))
                .stream().map(Object::toString).toList();
        Cli cli = new Cli(home, command);
        for (Object variable : (List<?>) container.get("env")) {
            Map<?, ?> entry = (Map<?, ?>) variable;
            cli.with(entry.get("name").toString(), entry.get("value").toString());
        }
        Run run = cli.with("LEASEHOLD_STORE_USER", postgres.user()).run();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).isEqualTo("fetch-news ran\n");
        assertThat(run.code()).isZero();
    }

    @Test
    @DisplayName("has a statement by which a newer run's fence shuts out an older one's")
    void fence() throws SQLException {
        assertThat(guide.in("sql")).hasSize(1);
        String update = guide.in("sql").get(0);
        execute(postgres, "CREATE TABLE news (id int, body text, fence bigint)");
        execute(postgres, "INSERT INTO news VALUES (1, '', 0)");
        assertThat(execute(postgres, with(update, 8))).isOne();
        assertThat(execute(postgres, with(update, 9))).isOne();
        assertThat(execute(postgres, with(update, 9))).isOne();
        assertThat(execute(postgres, with(update, 8))).isZero();
    }

    @Test
    @DisplayName("has no code that is not tried")
    void allIsTried() {
        assertThat(guide.languages()).containsExactly("crontab", "ini", "sh", "sql", "yaml");
    }

    private static String with(String update, int fence) {
        return update.replace(":fence", Integer.toString(fence)).replace(":body", "'new'");
    }

    private static Map<?, ?> at(Map<?, ?> tree, String... path) {
        Map<?, ?> here = tree;
        for (String name : path) {
            here = (Map<?, ?>) here.get(name);
        }
        return here;
    }

    /** The next line is about the same key, and is not to wait. */
    private void forgetCooldowns() throws IOException {
        for (String suffix : List.of("", "-wal", "-shm")) {
            Files.deleteIfExists(home.resolve("leasehold/leases.db" + suffix));
        }
    }

    private static int execute(Database database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            return statement.execute(sql) ? 0 : statement.getUpdateCount();
        }
    }
}
