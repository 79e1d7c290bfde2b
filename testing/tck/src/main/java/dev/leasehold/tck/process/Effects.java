package dev.leasehold.tck.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** What work has done, where every process can see it. */
record Effects(Path file) {
    void add(String effect) throws IOException {
        Files.writeString(file, effect + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    List<String> all() throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}
