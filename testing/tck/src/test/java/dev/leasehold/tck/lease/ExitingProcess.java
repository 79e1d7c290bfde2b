package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A process that acquires a lease from the store of whoever started it, and exits without giving it back. */
final class ExitingProcess {
    private static final BufferedReader ANSWERS =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private ExitingProcess() {}

    public static void main(String[] arguments) {
        LeaseStore store = (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, values) -> switch (method.getName()) {
                    case "acquire" -> acquire((AcquireRequest) values[0]);
                    case "release" -> release((ReleaseRequest) values[0]);
                    case "name" -> "pipe";
                    case "onWakeUp" -> Optional.empty();
                    case "shortestTtl" -> Duration.ofSeconds(1);
                    case "longestCall" -> Micros.FOREVER;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        Lease lease = Leases.on(store)
                .tryAcquire(KEY, LeaseOptions.noWait().withTtl(TTL))
                .orElseThrow();
        System.exit(lease.isValid() ? 7 : 1);
    }

    private static AcquireResult acquire(AcquireRequest request) throws IOException {
        Fence fence = Fence.of(Long.parseLong(ask("acquire " + request.nonce())));
        return new AcquireResult.Granted(fence, TTL, 1, null, null);
    }

    private static ReleaseResult release(ReleaseRequest request) throws IOException {
        return ReleaseResult.valueOf(ask("release " + request.nonce() + " " + request.fence()));
    }

    private static synchronized String ask(String question) throws IOException {
        System.out.println(question);
        return ANSWERS.readLine();
    }
}
