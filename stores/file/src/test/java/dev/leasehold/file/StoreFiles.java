package dev.leasehold.file;

import dev.leasehold.store.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Looks into a store's directory, and breaks things there. */
final class StoreFiles {
    private StoreFiles() {}

    /** Where the directory store keeps a key. */
    static Path of(Path store, Key key) {
        String name = KeyDirectory.nameFor(key);
        return store.resolve("keys").resolve(name.substring(0, 2)).resolve(name);
    }

    /** All files below, in order of their paths. */
    static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
