package dev.leasehold.file;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.RetryPolicy;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Told a folder, and whether the system has file locks: asks once for the autosave lock of the project there, and says on
 * which backend, and what it did to {@code .lock} for it. Releases it when it is told something.
 */
final class ProjectProcess {
    /** The steps that change a file. */
    static final Set<DiskStep> CHANGES = EnumSet.of(DiskStep.CREATE, DiskStep.LINK, DiskStep.MOVE, DiskStep.DELETE);

    private ProjectProcess() {}

    public static void main(String[] args) throws Exception {
        boolean hasLocks = Boolean.parseBoolean(args[1]);
        List<DiskStep> changes = Collections.synchronizedList(new ArrayList<>());
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LOCK && !hasLocks) {
                throw new FileSystemException(path.toString(), null, "No locks available");
            }
            if (CHANGES.contains(step) && path.endsWith(".lock")) {
                changes.add(step);
            }
        });
        try (ProjectLocks locks = ProjectLocks.on(
                ProjectLocks.store(Path.of(args[0]), Machine.here().with(disk)))) {
            Acquisition acquisition =
                    locks.acquire(ProjectLocks.Scope.AUTOSAVE, RetryPolicy.DEFAULT.withMaxAttempts(1));
            System.out.println(acquisition.toOptional().map(Lease::backend).orElse("refused"));
            System.out.println(changes);
            int unused = System.in.read();
        }
        System.out.println("closed");
    }
}
