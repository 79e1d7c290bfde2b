package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Where the library libfaketime is: on this machine, or else fetched from its Debian. */
final class Faketime {
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/lib/x86_64-linux-gnu/faketime"), Path.of("/usr/lib64/faketime"));

    private Faketime() {}

    /**
     * A file of the library.
     *
     * @throws UnsupportedOperationException if it cannot be had
     */
    static Path file(String name) {
        return PLACES.stream()
                .map(place -> place.resolve(name))
                .filter(Files::exists)
                .findFirst()
                .orElseGet(() -> Cache.ofUser()
                        .directory("libfaketime", Faketime::fetch)
                        .resolve("usr/lib/x86_64-linux-gnu/faketime")
                        .resolve(name));
    }

    private static void fetch(Path directory) throws IOException {
        try (InputStream script = Faketime.class.getResourceAsStream("faketime.sh")) {
            String text = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
            Commands.run(List.of("sh", "-c", text, "faketime", directory.toString()));
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new UnsupportedOperationException(
                    "A server whose clock can be moved needs libfaketime, which is not on this machine and could not be "
                            + "fetched by apt-get. Install the package libfaketime.",
                    e);
        }
    }
}
