package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import dev.leasehold.faults.FaultCase.Injector;
import dev.leasehold.tck.proxy.Direction;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.Injection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What can happen between the workers and a server. */
final class NetworkFaults {
    private static final int FROZEN = 2;
    private static final Duration UNTIL_COMMIT = Duration.ofSeconds(2);

    private NetworkFaults() {}

    /** Bytes that were held back arrive in the end, or their connections are reset. */
    static Injected partition(Scene scene) {
        return hold(scene, Fault.Stall.both(), "chunks were held back, either way");
    }

    static Injected withholdReplies(Scene scene) {
        return hold(scene, Fault.Stall.of(Direction.TO_CLIENT), "replies were held back");
    }

    private static Injected hold(Scene scene, Fault stall, String what) {
        Injection injection = scene.proxy().inject(stall);
        return () -> {
            if (scene.random().nextBoolean()) {
                scene.proxy().resetAll();
            }
            injection.lift();
            return new Evidence(injection.firings(), what);
        };
    }

    /** The server has done what it was asked, and its answer is lost with the connection. */
    static Injector loseReplies(double share) {
        return scene ->
                lasting(scene.proxy().inject(new Fault.LoseReply(1), share), "replies were lost with their connection");
    }

    static Injector slow(Duration by) {
        return scene -> lasting(
                scene.proxy().inject(new Fault.Delay(Direction.TO_CLIENT, by, Duration.ZERO)),
                "replies came " + by.toMillis() + " ms late");
    }

    /** Requests arrive when their caller has given up on them. */
    static Injector late(Duration by, Duration jitter, double share) {
        return scene -> lasting(
                scene.proxy().inject(new Fault.Delay(Direction.TO_SERVER, by, jitter), share),
                "requests arrived " + by.toMillis() + " ms late and more");
    }

    /**
     * The hosts of two clients go silent inside a transaction, before its COMMIT, and stay so: the others must get over
     * that by themselves.
     */
    static Injected freeze(Scene scene) throws InterruptedException {
        List<Injection> freezes = new ArrayList<>();
        for (int i = 0; i < FROZEN; i++) {
            Injection freeze = scene.proxy().injectOnce(new Fault.Freeze("COMMIT"));
            freeze.awaitFiring(UNTIL_COMMIT);
            freezes.add(freeze);
        }
        return new Injected() {
            @Override
            public Evidence heal() {
                int struck = freezes.stream().mapToInt(Injection::firings).sum();
                return new Evidence(struck, "connections went silent before a COMMIT, and stay so");
            }

            @Override
            public void end() {
                freezes.forEach(Injection::lift);
            }
        };
    }

    private static Injected lasting(Injection injection, String what) {
        return () -> {
            injection.lift();
            return new Evidence(injection.firings(), what);
        };
    }
}
