package dev.leasehold.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether processes of this host still run.
 *
 * <p>On Linux from {@code /proc}. Elsewhere from what Java says of processes, which is as good where there are no
 * process namespaces. On a Linux whose {@code /proc} says too little, nothing is known of anybody.
 */
final class HostProcesses {
    private static final String NOT_LINUX = "-";

    /** Positions in {@code /proc/<pid>/stat}, counted from behind the name, which may itself have blanks. */
    private static final int STATE = 0;

    private static final int THREADS = 17;
    private static final int START = 19;

    private final Path proc;
    private final @Nullable ProcessMark self;
    private final @Nullable String clockDomain;

    HostProcesses(Path proc) {
        this.proc = proc;
        String boot = readBoot();
        if (boot != null) {
            String timeNamespace = namespace("time");
            this.clockDomain = boot + "." + timeNamespace;
            this.self = linuxSelf(boot, namespace("pid") + "." + timeNamespace);
        } else {
            this.clockDomain = null;
            this.self = isLinux() ? null : otherSelf();
        }
    }

    /** This process, or {@code null} if others could not recognise it. */
    @Nullable
    ProcessMark self() {
        return self;
    }

    /** Within which all processes have one monotonic clock; {@code null} if that is not known. */
    @Nullable
    String clockDomain() {
        return clockDomain;
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

    private @Nullable String readBoot() {
        try {
            return Files.readString(proc.resolve("sys/kernel/random/boot_id")).strip();
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
            return "none";
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
