package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether processes of this host still run.
 *
 * <p>On Linux from {@code /proc}. Elsewhere from what Java says of processes, which is as good where there are no
 * process namespaces. On a Linux whose {@code /proc} says too little, nothing is known of anybody.
 */
final class HostProcesses {
    private static final String NOT_LINUX = "-";
    private static final String NO_NAMESPACE = "none";

    /** The first time namespace, which all hosts number alike. Its clocks are the kernel's own. */
    private static final String FIRST_TIME_NAMESPACE = "4026531834";

    private static final Pattern CLOCK_OFFSET = Pattern.compile("monotonic +(-?\\d{1,12}) +(\\d{1,9})");

    /** Positions in {@code /proc/<pid>/stat}, counted from behind the name, which may itself have blanks. */
    private static final int STATE = 0;

    private static final int THREADS = 17;
    private static final int START = 19;

    private final Path proc;
    private final @Nullable ProcessMark self;
    private final @Nullable String clockDomain;
    private final OptionalLong clockOffsetMicros;

    HostProcesses(Path proc) {
        this.proc = proc;
        String boot = readBoot();
        if (boot != null) {
            String timeNamespace = namespace("time");
            this.clockDomain = boot;
            this.clockOffsetMicros = readClockOffset(timeNamespace);
            this.self = linuxSelf(boot, namespace("pid") + "." + timeNamespace);
        } else {
            this.clockDomain = null;
            this.clockOffsetMicros = OptionalLong.of(0);
            this.self = isLinux() ? null : otherSelf();
        }
    }

    /** This process, or {@code null} if others could not recognise it. */
    @Nullable
    ProcessMark self() {
        return self;
    }

    /**
     * Within which all processes have one {@linkplain Machine#hostMicros() clock}; {@code null} if the system has no such
     * thing, so that all count by the wall clock.
     *
     * @throws StoreException if the system has it, but this process may not see it: others count by that clock
     */
    @Nullable
    String clockDomain() {
        if (clockDomain == null && isLinux()) {
            throw unrecognised("so it cannot count time as they do");
        }
        return clockDomain;
    }

    /** For a process that the others on the host could not tell from one that is gone. */
    StoreException unrecognised(String consequence) {
        return new StoreException(
                "This process cannot share leases in files with other processes of the host: it cannot"
                        + " read " + (clockDomain == null ? bootId() : proc.resolve("self/stat")) + ", " + consequence
                        + ". Let it read all of " + proc
                        + " (a service of systemd by ProcSubset=all, a container by mounting "
                        + proc + "), or use a database.");
    }

    /**
     * Returns how far the monotonic clock of this process is ahead of the kernel's: zero, except in a time namespace.
     *
     * @throws StoreUnsupportedException if that cannot be found out
     */
    long clockOffsetMicros() {
        return clockOffsetMicros.orElseThrow(() -> new StoreUnsupportedException(
                "This process is in a time namespace, and " + proc + "/self/timens_offsets does not say by how much its"
                        + " clock is off, so it cannot share leases in files with other processes of the host. Run it"
                        + " without a time namespace of its own, or use a database."));
    }

    /**
     * What became of a process.
     *
     * @param isLocal whether only this host has access to where the mark was found, so that a mark of another boot is
     *     one of an earlier boot
     */
    Fate fateOf(ProcessMark mark, boolean isLocal) {
        if (self == null) {
            return Fate.UNKNOWN;
        }
        if (mark.equals(self)) {
            return Fate.ALIVE;
        }
        boolean isComparable = !mark.boot().equals(NOT_LINUX) && !self.boot().equals(NOT_LINUX);
        if (!mark.boot().equals(self.boot())) {
            return isLocal && isComparable ? Fate.GONE : Fate.UNKNOWN;
        }
        if (!mark.namespace().equals(self.namespace())) {
            return Fate.UNKNOWN;
        }
        if (isComparable) {
            return linuxFate(mark);
        }
        return isLocal ? otherFate(mark) : Fate.UNKNOWN;
    }

    /** Whether a process with this number can be seen from here. */
    boolean sees(long pid) {
        return clockDomain != null
                ? Files.exists(proc.resolve(Long.toString(pid)))
                : ProcessHandle.of(pid).isPresent();
    }

    private Path bootId() {
        return proc.resolve("sys/kernel/random/boot_id");
    }

    private @Nullable String readBoot() {
        try {
            return Files.readString(bootId()).strip();
        } catch (IOException e) {
            return null;
        }
    }

    /** The number of a namespace of this process, such as 4026531836; one word in any case. */
    private String namespace(String kind) {
        try {
            return Files.readSymbolicLink(proc.resolve("self/ns/" + kind))
                    .toString()
                    .replaceAll("[^0-9]", "");
        } catch (IOException e) {
            return NO_NAMESPACE;
        }
    }

    /** The kernel shows the offset of the namespace that children get, which as a rule is the process's own. */
    private OptionalLong readClockOffset(String timeNamespace) {
        if (timeNamespace.equals(FIRST_TIME_NAMESPACE) || timeNamespace.equals(NO_NAMESPACE)) {
            return OptionalLong.of(0);
        }
        if (!timeNamespace.equals(namespace("time_for_children"))) {
            return OptionalLong.empty();
        }
        try {
            Matcher offset = CLOCK_OFFSET.matcher(Files.readString(proc.resolve("self/timens_offsets")));
            return offset.find()
                    ? OptionalLong.of(
                            Long.parseLong(offset.group(1)) * 1_000_000 + Long.parseLong(offset.group(2)) / 1_000)
                    : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private @Nullable ProcessMark linuxSelf(String boot, String namespace) {
        try {
            String stat = Files.readString(proc.resolve("self/stat"));
            long pid = Long.parseLong(stat.substring(0, stat.indexOf(' ')));
            return new ProcessMark(boot, namespace, pid, Long.parseLong(fields(stat)[START]));
        } catch (IOException e) {
            return null;
        }
    }

    private Fate linuxFate(ProcessMark mark) {
        try {
            String[] stat = fields(Files.readString(proc.resolve(mark.pid() + "/stat")));
            boolean isAnother = Long.parseLong(stat[START]) != mark.start();
            // The first thread of a process may have ended while others run.
            boolean hasEnded =
                    (stat[STATE].equals("Z") || stat[STATE].equals("X")) && Long.parseLong(stat[THREADS]) <= 1;
            return isAnother || hasEnded ? Fate.GONE : Fate.ALIVE;
        } catch (NoSuchFileException e) {
            return hidesProcesses() ? Fate.UNKNOWN : Fate.GONE;
        } catch (IOException e) {
            return Fate.UNKNOWN;
        }
    }

    private static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    }

    /** With {@code hidepid}, a process of another user looks like one that is not there. */
    private boolean hidesProcesses() {
        try {
            return Files.readAllLines(proc.resolve("mounts")).stream()
                    .map(line -> line.split(" ", -1))
                    .filter(mount -> mount.length > 3 && mount[2].equals("proc") && mount[1].equals("/proc"))
                    .anyMatch(mount -> mount[3].matches("(.*,)?hidepid=(2|4|invisible|ptraceable)(,.*)?"));
        } catch (IOException e) {
            return true;
        }
    }

    private static boolean isLinux() {
        return System.getProperty("os.name", "").equals("Linux");
    }

    private static @Nullable ProcessMark otherSelf() {
        ProcessHandle current = ProcessHandle.current();
        return startOf(current)
                .map(start -> new ProcessMark(NOT_LINUX, NOT_LINUX, current.pid(), start.toEpochMilli()))
                .orElse(null);
    }

    private static Fate otherFate(ProcessMark mark) {
        Optional<ProcessHandle> process = ProcessHandle.of(mark.pid());
        if (process.isEmpty()) {
            return Fate.GONE;
        }
        return startOf(process.get())
                .map(start -> start.toEpochMilli() == mark.start() ? Fate.ALIVE : Fate.GONE)
                .orElse(Fate.UNKNOWN);
    }

    private static Optional<Instant> startOf(ProcessHandle process) {
        return process.info().startInstant();
    }
}
