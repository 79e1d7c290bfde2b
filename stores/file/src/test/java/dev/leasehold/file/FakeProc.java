package dev.leasehold.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A {@code /proc} made by hand: processes start, end and come again with the same number as the test wants. */
final class FakeProc {
    private final Path root;
    private String mountOptions = "rw,relatime";

    FakeProc(Path root) throws IOException {
        this.root = root;
        Files.createDirectories(root.resolve("sys/kernel/random"));
        boot("11111111-1111-4111-8111-111111111111");
        writeMounts();
    }

    FakeProc boot(String id) throws IOException {
        Files.writeString(root.resolve("sys/kernel/random/boot_id"), id + "\n");
        return this;
    }

    /** A running process, in the first namespace there is. */
    FakeProc start(long pid, long startTicks) throws IOException {
        return start(pid, startTicks, "pid:[4026531836]");
    }

    FakeProc start(long pid, long startTicks, String pidNamespace) throws IOException {
        end(pid);
        Path process = root.resolve(Long.toString(pid));
        Files.createDirectories(process.resolve("ns"));
        Files.createSymbolicLink(process.resolve("ns/pid"), Path.of(pidNamespace));
        Files.createSymbolicLink(process.resolve("ns/time"), Path.of("time:[4026531834]"));
        return stat(pid, startTicks, "S", 20);
    }

    /** @param offset by how many seconds and nanoseconds the monotonic clock is ahead there; {@code null} if hidden */
    FakeProc inTimeNamespace(long pid, long number, @Nullable String offset) throws IOException {
        Path process = root.resolve(Long.toString(pid));
        Files.delete(process.resolve("ns/time"));
        Files.createSymbolicLink(process.resolve("ns/time"), Path.of("time:[" + number + "]"));
        childrenInTimeNamespace(pid, number);
        if (offset != null) {
            Files.writeString(
                    process.resolve("timens_offsets"), "monotonic  " + offset + "\nboottime           9         0\n");
        }
        return this;
    }

    FakeProc childrenInTimeNamespace(long pid, long number) throws IOException {
        Path link = root.resolve(pid + "/ns/time_for_children");
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of("time:[" + number + "]"));
        return this;
    }

    FakeProc stat(long pid, long startTicks, String state, int threads) throws IOException {
        String stat = pid + " (a (b) c) " + state + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 " + threads + " 0 "
                + startTicks + " 21 22\n";
        Files.writeString(root.resolve(pid + "/stat"), stat);
        return this;
    }

    FakeProc end(long pid) throws IOException {
        Path process = root.resolve(Long.toString(pid));
        for (String name :
                new String[] {"ns/pid", "ns/time", "ns/time_for_children", "ns", "stat", "timens_offsets", ""}) {
            Files.deleteIfExists(process.resolve(name));
        }
        return this;
    }

    FakeProc mounted(String options) throws IOException {
        mountOptions = options;
        writeMounts();
        return this;
    }

    /** The host as this process sees it. */
    HostProcesses seenBy(long pid) throws IOException {
        Path self = root.resolve("self");
        Files.deleteIfExists(self);
        Files.createSymbolicLink(self, Path.of(Long.toString(pid)));
        return new HostProcesses(root);
    }

    private void writeMounts() throws IOException {
        Files.writeString(root.resolve("mounts"), "/dev/vda / ext4 rw 0 0\nproc /proc proc " + mountOptions + " 0 0\n");
    }
}
