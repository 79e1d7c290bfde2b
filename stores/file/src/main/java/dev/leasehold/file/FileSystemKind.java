package dev.leasehold.file;

import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Whether other hosts can reach the files. */
enum FileSystemKind {
    /** Only this host. */
    LOCAL,
    /** Other hosts, or the host of a virtual machine. */
    SHARED,
    /** Nobody could say. */
    UNKNOWN;

    private static final Set<String> SHARED_TYPES = Set.of(
            "9p",
            "afpfs",
            "afs",
            "beegfs",
            "ceph",
            "cifs",
            "coda",
            "davfs",
            "gfs2",
            "glusterfs",
            "gpfs",
            "lustre",
            "ncpfs",
            "nfs",
            "nfs3",
            "nfs4",
            "ocfs2",
            "orangefs",
            "prl_fs",
            "pvfs2",
            "smb2",
            "smb3",
            "smbfs",
            "vboxsf",
            "virtiofs",
            "vmhgfs",
            "webdav");

    /** File systems in user space are as a rule doors to somewhere else. These are not. */
    private static final Set<String> LOCAL_FUSE_TYPES = Set.of(
            "fuse.bindfs", "fuse.encfs", "fuse.fuse-overlayfs", "fuse.gocryptfs", "fuse.mergerfs", "fuse.ntfs-3g");

    static FileSystemKind of(Path path) {
        try {
            boolean isRemotePath = path.toString().startsWith("\\\\");
            return isRemotePath ? SHARED : ofType(Files.getFileStore(path).type());
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** Returns whether a file has the same number to all processes of this host, and no other file has it. */
    static boolean numbersFiles(Path file) {
        try {
            Path parent = Objects.requireNonNull(file.toAbsolutePath().getParent());
            return !Files.getFileStore(parent).type().toLowerCase(Locale.ROOT).startsWith("fuse");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Refuses a place that other hosts can reach, unless that is allowed.
     *
     * @param allowedBy what a user writes to allow it
     */
    void check(Path where, boolean isAllowed, String allowedBy) {
        if (this == SHARED && !isAllowed) {
            throw new StoreUnsupportedException("The directory " + where + " is on a network file system. Leases in"
                    + " files are for the processes of one host; use a database for several. If only one host uses"
                    + " this directory, or its hard links are known to be exclusive, allow it with " + allowedBy + ".");
        }
    }

    /**
     * Returns whether only this host uses the files. Not if others are allowed: this host may be the one that exports
     * its local directory, and a holder of another boot is then a live one of another host.
     */
    boolean isOfOneHost(boolean areOthersAllowed) {
        return this == LOCAL && !areOthersAllowed;
    }

    static FileSystemKind ofType(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        boolean isForeignFuse = (name.startsWith("fuse.") || name.equals("fuse")) && !LOCAL_FUSE_TYPES.contains(name);
        return isForeignFuse || SHARED_TYPES.contains(name) ? SHARED : LOCAL;
    }
}
