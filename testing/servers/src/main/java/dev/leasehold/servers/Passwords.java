package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Random passwords: the loopback address is open to everybody on the machine. */
final class Passwords {
    private Passwords() {}

    static String fresh() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** The one that is kept in a directory, which is made if it is missing. The first time it is this one. */
    static String keptIn(Path directory, String first) {
        Path file = directory.resolve(Installation.PASSWORD);
        try {
            if (!Files.exists(file)) {
                Files.createDirectories(directory);
                Path draft = Files.createTempFile(directory, "password-", ""); // For the owner's eyes only.
                Files.writeString(draft, first);
                Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return in(file);
    }

    /** The one in a file that holds nothing else. */
    static String in(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
