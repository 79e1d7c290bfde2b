package dev.leasehold.faults;

import dev.leasehold.servers.Trees;
import java.nio.file.Path;

/** A store that is a directory, as it was. Nobody may be at work there when it is made or put back. */
record DirectoryBackup(Path directory, Path copy) implements Bed.Backup {
    static DirectoryBackup of(Path directory, Path copy) {
        Trees.copy(directory, copy);
        return new DirectoryBackup(directory, copy);
    }

    @Override
    public void putBack() {
        Trees.delete(directory);
        Trees.copy(copy, directory);
    }
}
