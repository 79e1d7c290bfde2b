package dev.leasehold.cli;

import dev.leasehold.servers.Database;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The command in a JVM of its own, with a state directory of its own, as a user would start it. */
final class Cli {
    private final Path home;
    private final List<String> program;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private String input = "";

    Cli(Path home) {
        this(home, command());
    }

    /** Started in another way. */
    Cli(Path home, List<String> program) {
        this.home = home;
        this.program = program;
        environment.put("XDG_STATE_HOME", home.toString());
    }

    Cli with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** With a database of a server as its store. */
    Cli on(Database database) {
        return with("LEASEHOLD_STORE", database.url())
                .with("LEASEHOLD_STORE_USER", database.user())
                .with("LEASEHOLD_STORE_PASSWORD", database.password());
    }

    Cli reading(String text) {
        this.input = text;
        return this;
    }

    /** The default store of this state directory. */
    String storeUrl() {
        return "sqlite:" + home.resolve("leasehold").resolve("leases.db");
    }

    /** Gives a lease back behind its holder's back, as an operator may do. */
    void takeAway(String key) {
        try (LeaseStore store = Stores.open(storeUrl())) {
            LeaseRecord record = store.find(Key.of(key)).orElseThrow().record();
            store.release(ReleaseRequest.of(Objects.requireNonNull(record.ref())));
        }
    }

    /** How many stand in line for a key. */
    int waiters(String key) {
        try (LeaseStore store = Stores.open(storeUrl())) {
            return store.find(Key.of(key))
                    .map(found -> found.record().line().size())
                    .orElse(0);
        }
    }

    /** Starts it and returns when it has ended. */
    Run run(String... arguments) {
        return start(arguments).awaitEnd();
    }

    Run start(String... arguments) {
        try {
            Path out = Files.createTempFile(home, "out", "");
            Path err = Files.createTempFile(home, "err", "");
            Path in = Files.writeString(Files.createTempFile(home, "in", ""), input);
            List<String> command = new ArrayList<>(Processes.DEFAULT_SIGNALS);
            command.addAll(program);
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("LEASEHOLD_"));
            builder.environment().putAll(environment);
            return new Run(builder.start(), out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> command(String... arguments) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED"); // As the launcher does, for SQLite's library.
        }
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+DisplayVMOutputToStderr",
                "-Xmx64m",
                "-Dfile.encoding=UTF-8",
                "-Dsun.jnu.encoding=UTF-8",
                "-Duser.language=en",
                "-cp",
                classPath,
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
