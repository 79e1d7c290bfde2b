package dev.leasehold.file;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Changes a lease and dies, as if by {@code kill -9}, before a certain step of that. */
final class CrashingProcess {
    static final int KILLED = 9;

    private static final int UNARMED = Integer.MAX_VALUE;
    private static final Set<DiskStep> HARMLESS = EnumSet.of(DiskStep.READ, DiskStep.LIST);

    private CrashingProcess() {}

    public static void main(String[] args) {
        int step = Integer.parseInt(args[3]);
        AtomicInteger left = new AtomicInteger(UNARMED);
        Disk.Probe probe = (at, path) -> {
            if (!HARMLESS.contains(at) && left.get() != UNARMED && left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(KILLED);
            }
        };
        run(args[0], args[1], args[2], probe, () -> left.compareAndSet(UNARMED, step));
    }

    static void run(String kind, String directory, String verb, Disk.Probe probe, Runnable arm) {
        Machine machine = Machine.here().with(new Disk(probe));
        Verb.valueOf(verb)
                .run(() -> StoreKind.valueOf(kind).open(Path.of(directory), machine, machine.wallMicros()), arm);
    }

    /** How many steps there are at which the process can die. */
    static int steps(StoreKind kind, Path directory, Verb verb) {
        AtomicInteger steps = new AtomicInteger();
        Disk.Probe probe = (at, path) -> {
            if (!HARMLESS.contains(at)) {
                steps.incrementAndGet();
            }
        };
        run(kind.name(), directory.toString(), verb.name(), probe, () -> steps.set(0));
        return steps.get();
    }
}
