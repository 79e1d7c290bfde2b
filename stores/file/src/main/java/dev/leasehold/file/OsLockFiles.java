package dev.leasehold.file;

import dev.leasehold.store.LeaseRef;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * All lock files of this process. They must be shared by all stores in it: were a file opened once more and closed, the
 * process would lose its lock on it.
 */
final class OsLockFiles {
    private static final ConcurrentMap<Path, OsLockFile> FILES = new ConcurrentHashMap<>();

    /**
     * Leases of this process that their holders use no more, the oldest first, although a file may still have them: its
     * folder may have been renamed meanwhile, so that the release did not find it. Leases of other class loaders are not
     * among them, and stay held.
     */
    private static final Set<LeaseRef> ENDED = Collections.synchronizedSet(new LinkedHashSet<>());

    private static final int MOST_ENDED = 1_000;

    private OsLockFiles() {}

    /** The holder of this lease released it, or was told that it is lost. */
    static void ended(LeaseRef lease) {
        synchronized (ENDED) {
            ENDED.add(lease);
            if (ENDED.size() > MOST_ENDED) {
                Iterator<LeaseRef> oldest = ENDED.iterator();
                oldest.next();
                oldest.remove();
            }
        }
    }

    static boolean isEnded(LeaseRef lease) {
        return ENDED.contains(lease);
    }

    static OsLockFile at(Path path) {
        return FILES.computeIfAbsent(path, OsLockFile::new);
    }
}
