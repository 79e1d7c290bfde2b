package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.servers.Server;
import java.time.Duration;
import java.time.Instant;

/** The wall clock of a server that runs. */
record ServerClock(Server server) implements Bed.StoreClock {
    private static final Duration NEARLY = Duration.ofSeconds(10);

    @Override
    public Evidence move(Duration by) {
        Instant before = server.time();
        server.moveClock(by);
        Instant after = server.time();
        boolean isMoved = Duration.between(before.plus(by), after).abs().compareTo(NEARLY) < 0;
        return new Evidence(isMoved ? 1 : 0, "the server's clock said " + before + ", then " + after);
    }
}
