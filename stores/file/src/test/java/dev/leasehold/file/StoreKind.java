package dev.leasehold.file;

import dev.leasehold.store.LeaseStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** The stores that keep leases in files, so that one test can be made of all of them. */
enum StoreKind {
    DIRECTORY {
        @Override
        LeaseStore open(Path directory, Machine machine, LongSupplier clock) {
            return new FileLeaseStore(directory, FileLeaseStore.Options.DEFAULT, machine, clock);
        }
    },
    LOCK_FILE {
        @Override
        LeaseStore open(Path directory, Machine machine, LongSupplier clock) {
            return new LockFileStore(inside(directory), Requests.KEY, machine.withClocks(clock, clock), false);
        }
    },
    OS_LOCK {
        @Override
        LeaseStore open(Path directory, Machine machine, LongSupplier clock) {
            return new OsLockStore(inside(directory), Requests.KEY, machine.withClocks(clock, clock), false);
        }
    };

    abstract LeaseStore open(Path directory, Machine machine, LongSupplier clock);

    /** As a user would, in real time. */
    LeaseStore open(Path directory) {
        return open(directory, Machine.here(), Machine.here().wallMicros());
    }

    private static Path inside(Path directory) {
        try {
            return Files.createDirectories(directory).resolve(".lock");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
