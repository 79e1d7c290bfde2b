package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Whole directories, for stores that are nothing else. */
final class Directories {
    private Directories() {}

    static void copy(Path from, Path to) throws IOException {
        for (Path source : all(from)) {
            Files.copy(source, to.resolve(from.relativize(source).toString()), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    static void delete(Path root) throws IOException {
        for (Path file : all(root).stream().sorted(Comparator.reverseOrder()).toList()) {
            Files.deleteIfExists(file);
        }
    }

    /** Deletes all files in it, at any depth, but no directory: others may be writing there. Says how many there were. */
    static int deleteFiles(Path root) throws IOException {
        int deleted = 0;
        for (Path file : all(root)) {
            if (Files.isRegularFile(file) && Files.deleteIfExists(file)) {
                deleted++;
            }
        }
        return deleted;
    }

    /** Parents before children. What vanishes meanwhile is left out. */
    private static List<Path> all(Path root) throws IOException {
        List<Path> all = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                all.add(directory);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                all.add(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return all;
    }
}
