package dev.leasehold.cli;

import dev.leasehold.store.Owner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The owner label that refused callers see: {@code host pid N}. */
final class ThisMachine {
    private ThisMachine() {}

    /** Host and process id: where to look, and what to kill. */
    static Owner owner() {
        return Owner.of(host() + " pid " + ProcessHandle.current().pid());
    }

    /** Host and process id of whoever started this process: for a lease that outlives it. */
    static Owner caller() {
        long pid = ProcessHandle.current()
                .parent()
                .orElseGet(ProcessHandle::current)
                .pid();
        return Owner.of(host() + " pid " + pid);
    }

    /** Who sits at this machine, for what a person does. */
    static String user() {
        return System.getProperty("user.name", "unknown") + "@" + host();
    }

    /** From the kernel: to ask the network for one's own name can take seconds. */
    private static String host() {
        String name = System.getenv("HOSTNAME");
        try {
            name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            // Not Linux: what the shell says will do.
        }
        return name != null && name.matches("\\p{Graph}{1,200}") ? name : "unknown-host";
    }
}
