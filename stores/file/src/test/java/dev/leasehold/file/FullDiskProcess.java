package dev.leasehold.file;

import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUnavailableException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Fills the disk it is given while it holds a lease there, and says what became of the lease. */
final class FullDiskProcess {
    private FullDiskProcess() {}

    public static void main(String[] args) throws IOException {
        Path disk = Path.of(args[1]);
        LeaseStore store = StoreKind.valueOf(args[0]).open(disk.resolve("store"));
        LeaseRef lease = Requests.take(store);
        Path filler = disk.resolve("filler");
        try (FileOutputStream out = new FileOutputStream(filler.toFile())) {
            while (true) {
                out.write(new byte[512]);
            }
        } catch (IOException e) {
            System.out.println("full: " + e.getMessage());
        }
        try {
            store.renew(List.of(lease));
            System.out.println("renewed");
        } catch (StoreUnavailableException e) {
            System.out.println("unavailable: " + e.getCause().getMessage());
        }
        boolean isHeld =
                StoreKind.valueOf(args[0]).open(disk.resolve("store")).acquire(Requests.request()) instanceof Held;
        System.out.println(isHeld ? "held" : "lost");
        Files.delete(filler);
        System.out.println(store.renew(List.of(lease)).isEmpty() ? "lost" : "renewed");
        Key other = Key.of("other");
        if (args[0].equals(StoreKind.DIRECTORY.name())) {
            Requests.take(store, other);
        }
    }
}
