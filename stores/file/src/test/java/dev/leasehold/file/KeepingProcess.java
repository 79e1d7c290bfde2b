package dev.leasehold.file;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import java.nio.file.Path;
import java.time.Duration;

/** Keeps a lease as a user's program would. Whenever it is sent a byte, it says whether its work may go on. */
final class KeepingProcess {
    private KeepingProcess() {}

    public static void main(String[] args) throws Exception {
        Leases leases = Leases.on(StoreKind.valueOf(args[0]).open(Path.of(args[1])));
        LeaseOptions options = LeaseOptions.noWait().withTtl(Duration.parse(args[2]));
        Lease lease = leases.acquire(Requests.KEY, options).orElseThrow();
        System.out.println("held");
        while (System.in.read() >= 0) {
            System.out.println(mayGoOn(lease) ? "guarded work" : "lost");
        }
    }

    private static boolean mayGoOn(Lease lease) {
        try {
            lease.ensure();
            return true;
        } catch (LeaseLostException e) {
            return false;
        }
    }
}
