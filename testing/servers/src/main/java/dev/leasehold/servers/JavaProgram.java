package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How to run a server that is written in Java and reached by HTTP, with libraries that no other class path has. */
abstract class JavaProgram extends Program {
    private final int heapMegabytes;

    JavaProgram(String name, int heapMegabytes) {
        super(name, Config.durable(), "libfaketimeMT.so.1");
        this.heapMegabytes = heapMegabytes;
    }

    /** Options of the JVM, the main class and its arguments. */
    abstract List<String> mainClass(Path data, int port);

    @Override
    final List<String> command(Path data, int port) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath(name())));
        command.addAll(mainClass(data, port));
        return command;
    }

    /** As the server's own module wrote it when it was built. */
    private static String classPath(String name) {
        String file = "dev/leasehold/servers/" + name + ".class-path";
        try (InputStream text = Versions.resource(file)) {
            return Versions.location(file) + ":" + new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The status of the answer to GET. */
    static int status(int port, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setConnectTimeout(5_000);
        connection.setReadTimeout(5_000);
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    @Override
    final String gentleSignal() {
        return "TERM";
    }

    @Override
    final String abruptSignal() {
        return "KILL";
    }

    @Override
    Set<String> marksOfLife() {
        return Set.of();
    }
}
