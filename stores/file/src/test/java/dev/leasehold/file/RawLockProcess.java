package dev.leasehold.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Asks the system itself for the lock on a file, without our store, and says whether it got it. */
final class RawLockProcess {
    private RawLockProcess() {}

    public static void main(String[] args) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
            System.out.println(channel.tryLock(OsLockFile.LOCKED_BYTE, 1, false) == null ? "refused" : "locked");
        }
    }
}
