package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives all processes of a host one clock that nobody can set.
 *
 * <p>The clock is the kernel's monotonic one plus a base, also for processes in time namespaces. The base is chosen once
 * per boot, so that the clock starts at the wall clock's time, and kept in a file that the first process to come makes
 * by an exclusive link. Setting the wall clock afterwards changes nothing. The clock stands still while the host is
 * suspended; so do all holders, and their deadlines, which they count by the same clock.
 *
 * <p>Before records are dropped, the time is kept too: after a boot with a wrong wall clock, the new base is chosen so
 * that the clock does not fall behind it, and with it no fence.
 */
final class ClockDirectory {
    private static final String BASE = "base.";
    private static final String PASSED = "passed.";
    private static final String ADVICE =
            "Stop all processes that use this store, then delete the file; the next one to start makes it again.";

    private record Base(long baseMicros, long madeAtMonotonic) {
        long madeAt() {
            return baseMicros + madeAtMonotonic;
        }
    }

    private final Path directory;
    private final Disk disk;

    ClockDirectory(Path directory, Disk disk) {
        this.directory = directory;
        this.disk = disk;
    }

    /** The clock of this host, in microseconds since 1970. Where processes share no monotonic clock, the wall clock. */
    LongSupplier clock(Machine machine, boolean isLocal, Path temp) throws IOException {
        String domain = machine.processes().clockDomain();
        if (domain == null) {
            return machine.wallMicros();
        }
        Path file = directory.resolve(BASE + domain);
        Base base = read(file);
        if (base == null) {
            make(file, machine, temp);
            base = read(file);
            if (base == null) {
                throw new FileSystemException(file.toString(), null, "it was deleted as soon as it was made");
            }
            if (isLocal) {
                forgetOtherBoots(domain);
            }
        }
        if (machine.hostMicros() < base.madeAtMonotonic()) {
            throw new StoreException("This JVM does not count time as the one that made " + file
                    + " does, so the two cannot share a store. Use the same kind of JVM for all processes.");
        }
        long baseMicros = base.baseMicros();
        return () -> baseMicros + machine.hostMicros();
    }

    /** Keeps in mind that the clock has passed this moment, whatever the next boot's wall clock says. */
    void markPassed(long micros, Path temp) throws IOException {
        if (micros <= passedMicros()) {
            return;
        }
        disk.write(temp, new byte[0]);
        try {
            disk.link(temp, directory.resolve(PASSED + micros));
        } finally {
            disk.discard(temp);
        }
        disk.forceDirectory(directory);
        for (String name : disk.list(directory, PASSED)) {
            if (passed(name) < micros) {
                disk.discard(directory.resolve(name));
            }
        }
    }

    /** The last moment that was kept in mind, or 0. */
    long passedMicros() throws IOException {
        long passed = 0;
        for (String name : disk.list(directory, PASSED)) {
            passed = Math.max(passed, passed(name));
        }
        return passed;
    }

    private void make(Path file, Machine machine, Path temp) throws IOException {
        long passed = passedMicros();
        for (String name : disk.list(directory, BASE)) {
            Base earlier = read(directory.resolve(name));
            passed = Math.max(passed, earlier == null ? 0 : earlier.madeAt());
        }
        long monotonic = machine.hostMicros();
        long base = Math.max(machine.wallMicros().getAsLong(), passed + 1) - monotonic;
        byte[] text = new StateText.Writer("clock")
                .put("base-micros", base)
                .put("made-at-micros", monotonic)
                .toBytes();
        disk.write(temp, text);
        try {
            disk.link(temp, file);
        } finally {
            disk.discard(temp);
        }
        disk.forceDirectory(directory);
    }

    private @Nullable Base read(Path file) throws IOException {
        byte[] bytes = disk.read(file);
        return bytes == null
                ? null
                : StateText.parse(
                        file,
                        "clock",
                        bytes,
                        ADVICE,
                        text -> new Base(
                                Long.parseLong(text.take("base-micros")), Long.parseLong(text.take("made-at-micros"))));
    }

    private static long passed(String name) {
        try {
            return Long.parseLong(name.substring(PASSED.length()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private void forgetOtherBoots(String boot) throws IOException {
        for (String name : disk.list(directory, BASE)) {
            if (!name.equals(BASE + boot)) {
                disk.discard(directory.resolve(name));
            }
        }
    }
}
