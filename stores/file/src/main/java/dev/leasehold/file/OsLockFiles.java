package dev.leasehold.file;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * All lock files of this process. They must be shared by all stores in it: were a file opened once more and closed, the
 * process would lose its lock on it.
 */
final class OsLockFiles {
    private static final ConcurrentMap<Path, OsLockFile> FILES = new ConcurrentHashMap<>();

    private OsLockFiles() {}

    static OsLockFile at(Path path) {
        return FILES.computeIfAbsent(path, OsLockFile::new);
    }
}
