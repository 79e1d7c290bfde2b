package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Project locks are refused")
class ProjectLocksTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Test
    @DisplayName("in a folder that does not exist, which is not made")
    void missingFolder() {
        Path folder = directory.resolve("project");
        assertThatThrownBy(() -> ProjectLocks.in(folder))
                .isInstanceOf(StoreException.class)
                .hasMessage("The project folder " + folder + " does not exist. Create it first.");
        assertThat(folder).doesNotExist();
    }

    @Test
    @DisplayName("in a file")
    void fileInPlaceOfTheFolder() throws IOException {
        Path file = Files.writeString(directory.resolve("project"), "{}");
        assertThatThrownBy(() -> ProjectLocks.in(file))
                .isInstanceOf(StoreException.class)
                .hasMessage("The project folder " + file + " is not a folder. Name the folder of the project.");
    }

    @Test
    @DisplayName("on a network file system, with advice that can be followed")
    void networkFileSystem() throws IOException {
        assertThatThrownBy(() -> ProjectLocks.store(directory, Machine.here().on(FileSystemKind.SHARED)))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessage("The project folder " + directory + " is on a network file system, where ProjectLocks"
                        + " cannot tell whether a holder is alive. Move it to a local disk, or keep the lock in a"
                        + " database.");
        assertThat(StoreFiles.below(directory)).isEmpty();
    }
}
