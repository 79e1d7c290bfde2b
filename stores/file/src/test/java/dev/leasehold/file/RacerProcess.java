package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Races others for one lease, again and again. Whoever gets it makes a witness file, which must not be there; renews
 * it sometimes; then either releases it, or lets the clock run past it so that everybody finds it stale.
 *
 * <p>Prints the fence of each grant, and a line for each thing that must not be.
 */
final class RacerProcess {
    /** Names {@link UnlinkingStore}, which the race must find wanting. */
    static final String UNLINKING = "UNLINKING";

    /** Printed for a release of which nobody can tell whether it happened. */
    static final String UNKNOWN = "unknown";

    private static final long LONGEST_PAUSE_NANOS = 2_000_000;

    private final LeaseStore store;
    private final RaceClock clock;
    private final Path witnesses;
    private final StringBuilder report = new StringBuilder();

    private RacerProcess(LeaseStore store, RaceClock clock, Path witnesses) {
        this.store = store;
        this.clock = clock;
        this.witnesses = witnesses;
    }

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[1]);
        RaceClock clock = new RaceClock(directory.resolve("clock"));
        Path place = directory.resolve("store");
        LeaseStore store = args[0].equals(UNLINKING)
                ? new UnlinkingStore(place, clock)
                : StoreKind.valueOf(args[0]).open(place, Machine.here(), clock);
        System.out.println("ready");
        System.in.read();
        new RacerProcess(store, clock, directory.resolve("witnesses")).race(Long.parseLong(args[2]));
    }

    private void race(long rounds) throws IOException {
        while (clock.round() < rounds) {
            AcquireRequest request =
                    AcquireRequest.of(Requests.KEY, Requests.nonce(), Requests.OWNER, Duration.ofSeconds(30));
            if (store.acquire(request) instanceof Granted granted) {
                hold(new LeaseRef(request.key(), request.nonce(), granted.fence()));
            } else {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
            }
        }
        System.out.print(report);
    }

    private void hold(LeaseRef lease) throws IOException {
        long round = RaceClock.roundOf(lease.fence().value());
        Path witness = witnesses.resolve(Long.toString(round));
        try {
            Files.createFile(witness);
        } catch (FileAlreadyExistsException e) {
            report.append("DOUBLE HOLDER in round ").append(round).append('\n');
        }
        if (clock.exchangeFence(lease.fence().value()) >= lease.fence().value()) {
            report.append("SMALLER FENCE in round ").append(round).append('\n');
        }
        report.append(lease.fence()).append('\n');
        int choice = ThreadLocalRandom.current().nextInt(8);
        if (choice < 2 && store.renew(List.of(lease)).isEmpty()) {
            report.append("LOST while live in round ").append(round).append('\n');
        }
        if (choice == 1 || choice == 3) {
            Files.deleteIfExists(witness);
            release(lease, round);
        } else {
            clock.end(round);
        }
    }

    private void release(LeaseRef lease, long round) {
        try {
            if (store.release(ReleaseRequest.of(lease)) != ReleaseResult.RELEASED) {
                report.append("NOT HELD while live in round ").append(round).append('\n');
            }
        } catch (KeyDirectory.OvertakenException e) {
            // Stopped in the middle of it while others changed the lease many times: it cannot tell, and says so.
            report.append(UNKNOWN).append('\n');
        }
    }
}
