package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseStore;
import java.nio.file.Path;
import java.time.Duration;

/** Asks for the lease, says what it got, and stays until it is killed or its input ends. */
final class HolderProcess {
    private HolderProcess() {}

    public static void main(String[] args) throws Exception {
        LeaseStore store = StoreKind.valueOf(args[0]).open(Path.of(args[1]));
        AcquireRequest request = AcquireRequest.of(Requests.KEY, Requests.nonce(), Requests.OWNER, Duration.ofHours(1));
        AcquireResult result = store.acquire(request);
        System.out.println(result.getClass().getSimpleName());
        System.out.flush();
        while (System.in.read() >= 0) {}
    }
}
