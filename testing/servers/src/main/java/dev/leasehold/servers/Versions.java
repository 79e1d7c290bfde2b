package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;

/** Which programs the build brought, and whether they run here. */
final class Versions {
    private Versions() {}

    /**
     * A name such as {@code postgres-18-18.6.0}, for a directory that depends on the program.
     *
     * @throws UnsupportedOperationException if the program does not run on this machine
     */
    static String named(String program, String variable) {
        String machine = System.getProperty("os.name") + " " + System.getProperty("os.arch");
        if (!machine.equals("Linux amd64")) {
            throw new UnsupportedOperationException(
                    "There is no built-in " + program + " for " + machine + ". Set " + variable + " to use another.");
        }
        try (InputStream file = Versions.class.getResourceAsStream("versions.properties")) {
            Properties versions = new Properties();
            versions.load(Objects.requireNonNull(file));
            return program + "-" + Objects.requireNonNull(versions.getProperty(program), program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The jar or directory of the class path that holds this file. */
    static String location(String path) {
        String url = String.valueOf(Versions.class.getClassLoader().getResource(path));
        String file = url.startsWith("jar:")
                ? url.substring("jar:".length(), url.indexOf("!/"))
                : url.substring(0, url.length() - path.length());
        return Path.of(URI.create(file)).toString();
    }

    /** A file that some jar on the class path holds. */
    static InputStream resource(String path) {
        InputStream stream = Versions.class.getClassLoader().getResourceAsStream(path);
        if (stream == null) {
            throw new IllegalStateException(path + " is not on the class path.");
        }
        return stream;
    }
}
