package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** How to run one version of PostgreSQL. */
final class PostgresProgram extends Program {
    static final String USER = "postgres";

    /** To be raised when {@link #initialize} changes. */
    private static final int TEMPLATE_VERSION = 1;

    private final Installation installation;
    private final String password;

    PostgresProgram(int major, Config config) {
        this(major, config, null);
    }

    /**
     * With a password that outlives the cache.
     *
     * @param directory where it is kept; null for that of the cache
     */
    PostgresProgram(int major, Config config, @Nullable Path directory) {
        // Not the library for threads: it has a lock, and handlers of signals look at the clock too.
        super("postgres-" + major, config, "libfaketime.so.1");
        String version = Versions.named(name(), PostgresServer.VARIABLE);
        this.installation = Installation.of(version, TEMPLATE_VERSION, this::unpack, PostgresProgram::initialize);
        this.password =
                directory == null ? installation.password() : Passwords.keptIn(directory, installation.password());
    }

    String password() {
        return password;
    }

    @Override
    void prepare(Path data) {
        installation.copyData(data);
    }

    @Override
    List<String> command(Path data, int port) {
        SortedMap<String, String> settings = new TreeMap<>();
        settings.put("listen_addresses", "127.0.0.1");
        settings.put("unix_socket_directories", "");
        // Files among the data rather than in /dev/shm, where a killed server would leave them.
        settings.put("dynamic_shared_memory_type", "mmap");
        if (config.isRelaxed()) {
            // Neither synchronous_commit nor fsync, which Leasehold refuses: the data lies in memory, where both are
            // cheap.
            settings.put("full_page_writes", "off");
        }
        settings.putAll(config.settings());
        settings.put("port", Integer.toString(port));

        List<String> command = new ArrayList<>(Unprivileged.wrapper());
        command.addAll(List.of(installation.program("bin/postgres"), "-D", data.toString()));
        settings.forEach((setting, value) -> command.addAll(List.of("-c", setting + "=" + value)));
        return command;
    }

    @Override
    boolean answers(Path data, int port) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", USER);
        properties.put("password", password);
        properties.put("connectTimeout", "5");
        properties.put("socketTimeout", "5");
        try (Connection connection = DriverManager.getConnection(url(port), properties);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW data_directory")) {
            return row.next() && row.getString(1).equals(data.toString());
        }
    }

    static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    @Override
    String gentleSignal() {
        return "INT";
    }

    @Override
    String abruptSignal() {
        return "QUIT";
    }

    @Override
    Set<String> marksOfLife() {
        return Set.of("postmaster.pid");
    }

    private void unpack(Path directory) throws IOException {
        try (InputStream packed = Versions.resource("dev/leasehold/servers/" + name() + "/postgres-linux-x86_64.txz");
                InputStream tar = new XZInputStream(packed)) {
            Commands.run(List.of("tar", "-x", "-C", directory.toString()), tar);
        }
    }

    private static void initialize(Path programs, Path directory) throws IOException {
        Path secret = Files.writeString(directory.resolve(Installation.PASSWORD), Passwords.fresh());
        List<String> command = new ArrayList<>(Unprivileged.wrapper());
        command.addAll(List.of(
                programs.resolve("bin/initdb").toString(),
                "--pgdata=" + directory.resolve(Installation.DATA),
                "--username=" + USER,
                "--pwfile=" + secret,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync"));
        Commands.run(command);
    }
}
