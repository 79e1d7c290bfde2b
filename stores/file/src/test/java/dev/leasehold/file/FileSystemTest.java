package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.FileLeaseStore.Options;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which file systems will do. */
class FileSystemTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb3",
                "9p",
                "fuse.sshfs",
                "fuse.glusterfs",
                "glusterfs",
                "ceph",
                "afs",
                "lustre",
                "virtiofs",
                "fuse.s3fs",
                "fuse",
                "NFS"
            })
    @DisplayName("X10 File systems that other hosts reach are recognised")
    void networkFileSystemsAreShared(String type) {
        assertThat(FileSystemKind.ofType(type)).isEqualTo(FileSystemKind.SHARED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "NTFS", "fuseblk", "fuse.mergerfs"})
    void fileSystemsOfTheHostAreLocal(String type) {
        assertThat(FileSystemKind.ofType(type)).isEqualTo(FileSystemKind.LOCAL);
    }

    @Test
    void fileSystemOfThisTestIsKnown() {
        assertThat(FileSystemKind.of(directory)).isNotEqualTo(FileSystemKind.UNKNOWN);
    }

    @Test
    @DisplayName("X10 A network file system is refused, and the message names what allows it")
    void networkFileSystemIsRefusedUnlessAllowed() {
        Machine machine = Machine.here().on(FileSystemKind.SHARED);
        assertThatThrownBy(() -> new FileLeaseStore(directory, Options.DEFAULT, machine, null))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("allowingNetworkFileSystem()");
        take(new FileLeaseStore(directory, Options.DEFAULT.allowingNetworkFileSystem(), machine, null));
    }

    @Test
    @DisplayName("X10 A lock file on a network file system is refused, and the message names what allows it")
    void lockFileOnANetworkFileSystemIsRefusedUnlessAllowed() {
        Machine machine = Machine.here().on(FileSystemKind.SHARED);
        Path file = directory.resolve(".lock");
        assertThatThrownBy(() -> new LockFileStore(file, KEY, machine, false))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("LockFileStore.onAnyFileSystem(");
        assertThatThrownBy(() -> new OsLockStore(file, KEY, machine, false))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("OsLockStore.onAnyFileSystem(");
        take(new LockFileStore(file, KEY, machine, true));
        take(OsLockStore.onAnyFileSystem(directory.resolve("os.lock"), KEY));
    }

    @Test
    void fileSystemWithoutHardLinksIsRefused() {
        assertThatThrownBy(() -> open(new UnsupportedOperationException()))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("hard links");
        assertThatThrownBy(() -> open(new FileSystemException("a", "b", "Operation not permitted")))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("hard links");
    }

    @Test
    void fullDiskIsNotTakenForOneWithoutHardLinks() {
        assertThatThrownBy(() -> open(new FileSystemException("a", "b", "No space left on device")))
                .isInstanceOf(StoreUnavailableException.class);
    }

    private void open(Exception onLink) {
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LINK) {
                if (onLink instanceof IOException io) {
                    throw io;
                }
                throw (RuntimeException) onLink;
            }
        });
        new FileLeaseStore(directory, Options.DEFAULT, Machine.here().with(disk), null);
    }
}
