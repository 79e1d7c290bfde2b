package dev.leasehold.servers;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Whole directories. */
public final class Trees {
    private Trees() {}

    /** For the owner's eyes only: databases insist, and passwords are in there. */
    static Path createPrivate(Path directory) throws IOException {
        return Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Copies a directory to where nothing is yet. */
    public static void copy(Path from, Path to) {
        walk(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                return copied(directory);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                // Sockets cannot be copied, and mean nothing without their process.
                return attributes.isOther() ? FileVisitResult.CONTINUE : copied(file);
            }

            private FileVisitResult copied(Path file) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)), COPY_ATTRIBUTES, NOFOLLOW_LINKS);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Also if there is nothing to delete. */
    public static void delete(Path root) {
        if (!Files.exists(root, NOFOLLOW_LINKS)) {
            return;
        }
        walk(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                return deleted(file);
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                return deleted(directory);
            }

            private FileVisitResult deleted(Path file) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void walk(Path root, SimpleFileVisitor<Path> visitor) {
        try {
            Files.walkFileTree(root, visitor);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
