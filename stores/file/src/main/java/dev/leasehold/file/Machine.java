package dev.leasehold.file;

import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What the stores ask of the machine they run on.
 *
 * @param monotonicMicros a clock that nobody can set, as this process sees it; see {@link #hostMicros}
 */
record Machine(
        Disk disk,
        HostProcesses processes,
        Function<Path, FileSystemKind> kinds,
        LongSupplier wallMicros,
        LongSupplier monotonicMicros) {
    /**
     * The real one. On Linux, {@link System#nanoTime()} of the usual JVMs is the kernel's monotonic clock itself, the
     * same number in every process of a time namespace; {@link ClockDirectory} notices where it is not.
     */
    static Machine here() {
        return new Machine(
                new Disk(Disk.Probe.NONE),
                new HostProcesses(Path.of("/proc")),
                FileSystemKind::of,
                Machine::wall,
                () -> System.nanoTime() / 1_000);
    }

    /** A name that was never used before and never will be again. */
    static String newTag() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** The kernel's monotonic clock, the same to all processes of a clock domain, also to those in time namespaces. */
    long hostMicros() {
        return monotonicMicros.getAsLong() - processes.clockOffsetMicros();
    }

    Machine with(Disk other) {
        return new Machine(other, processes, kinds, wallMicros, monotonicMicros);
    }

    Machine with(HostProcesses other) {
        return new Machine(disk, other, kinds, wallMicros, monotonicMicros);
    }

    Machine on(FileSystemKind kind) {
        return new Machine(disk, processes, path -> kind, wallMicros, monotonicMicros);
    }

    Machine withClocks(LongSupplier wall, LongSupplier monotonic) {
        return new Machine(disk, processes, kinds, wall, monotonic);
    }

    private static long wall() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
