package dev.leasehold.tck.sim;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Run;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process that wants the key again and again, works under it, and suffers. */
final class SimClient {
    static final Duration TTL = Duration.ofSeconds(10);

    /** Clocks run up to 0.35 % fast or slow, a little less than what the client keeps back. */
    private static final double DRIFT = 0.007;

    /** In milliseconds. */
    static final int LONGEST_LOCK_DELAY = 5_000;

    private static final Clockwork.Reply<Object> UNHEARD = new Clockwork.Reply<>() {
        @Override
        public void answered(Object result) {}

        @Override
        public void failed(Throwable cause) {}
    };

    private final World world;
    private final String name;
    private int lives;
    private Life life;

    SimClient(World world, String name) {
        this.world = world;
        this.name = name;
        this.life = new Life();
        life.idle();
    }

    Life life() {
        return life;
    }

    /** Dies without a word; another life begins some time later. */
    void crash() {
        world.note(Kind.CRASHED, life.name(), "", 0, 0);
        life.isDead = true;
        world.after(world.millis(0, 20_000), () -> {
            life = new Life();
            life.idle();
        });
    }

    /** One incarnation of the process, from its start to its death. */
    final class Life {
        final int number = ++lives;
        final VirtualClockwork clockwork =
                new VirtualClockwork(world, this, 1 + (world.random.nextDouble() - 0.5) * DRIFT);
        private final StoreView view = new StoreView(Duration.ofMillis(100));
        private final Leases leases;
        private final Worker worker = new Worker();
        private @Nullable Run<String> run;
        private boolean isDead;
        private long stoppedUntil;
        private int grantsInCalm;
        private int calls;
        private long lastStop;

        private @Nullable Lease own;

        Life() {
            leases = world.sabotage
                    .client(Leases.builder(view)
                            .clockwork(clockwork)
                            .random(new Random(world.random.nextLong()))
                            .owner(Owner.of(name))
                            .retaining(Micros.FOREVER) // The world purges, harder than any client would.
                            .withoutLog())
                    .build();
            leases.onEvent(this::told);
            if (world.areBusy) {
                keepOwn();
            }
        }

        /** Keeps a lease on a key that no other client wants. */
        private void keepOwn() {
            world.after(
                    world.millis(500, 2_000),
                    () -> whenAwake(() -> {
                        Lease present = own;
                        if (present == null || present.state().isFinal()) {
                            var unused = leases.acquireAsync(
                                            Key.of("own", name),
                                            LeaseOptions.noWait().withTtl(TTL))
                                    .thenAccept(acquisition ->
                                            own = acquisition.toOptional().orElse(null));
                        }
                        keepOwn();
                    }));
        }

        String name() {
            return name + "/" + number;
        }

        StoreView view() {
            return view;
        }

        boolean isAlive() {
            return !isDead;
        }

        @Nullable
        Lease lease() {
            return worker.lease;
        }

        /** All leases that it keeps. */
        List<Lease> leases() {
            return Stream.of(worker.lease, own).filter(Objects::nonNull).toList();
        }

        /**
         * Returns whether work under the lease with this nonce and fence goes on although the lease is lost. A late
         * request of the same call may be granted the key once more, with the same nonce and a larger fence; nobody
         * works under that one.
         */
        boolean worksOnAfterLosing(Nonce nonce, Fence fence) {
            Lease lease = worker.lease;
            return lease != null
                    && lease.ref().nonce().equals(nonce)
                    && lease.fence().equals(fence)
                    && lease.state() == LeaseState.LOST
                    && !worker.isDone;
        }

        /** The fence under which it thinks that it may go on with its work now. */
        @Nullable
        Fence validFence() {
            if (isDead || clockwork.isFrozen()) {
                return null; // A client that is suspended thinks nothing.
            }
            Lease lease = worker.lease;
            if (lease != null && lease.isValid()) {
                return lease.fence();
            }
            Run<String> present = run;
            return present != null && present.isValid() ? present.fence() : null;
        }

        /** It does this work now; {@code null} when it is over. */
        void started(@Nullable Run<String> begun) {
            run = begun;
        }

        /** Its work was done, by itself or by somebody else. */
        void answered() {
            if (world.isCalm()) {
                grantsInCalm++;
            }
        }

        /** How many calls it has made, the present one included. */
        int calls() {
            return calls;
        }

        int grantsInCalm() {
            return grantsInCalm;
        }

        /** Whether it has been running for so long without a stop. */
        boolean hasRunFor(long nanos) {
            return world.now() - lastStop > nanos;
        }

        /** Runs something in this process, once it runs at all; never, if it is dead. */
        void whenAwake(Runnable work) {
            if (isDead) {
                return;
            }
            if (stoppedUntil <= world.now() && world.strikes(SimFault.SUSPEND, 0.001)) {
                stop(world.millis(10, 8_000), true);
            }
            if (stoppedUntil > world.now()) {
                world.at(stoppedUntil, () -> whenAwake(work));
                return;
            }
            if (world.strikes(SimFault.WALL_CLOCK, 0.001)) {
                clockwork.stepWall();
            }
            work.run();
        }

        /** Stops for a while, with the monotonic clock standing still or not. */
        void stop(long nanos, boolean withClock) {
            if (isDead || stoppedUntil > world.now()) {
                return;
            }
            stoppedUntil = world.now() + nanos;
            lastStop = stoppedUntil;
            if (withClock) {
                clockwork.freeze();
                world.at(stoppedUntil, clockwork::thaw);
            }
        }

        void wakeUp(WakeUp wakeUp) {
            view.tell(wakeUp);
        }

        void idle() {
            world.after(world.millis(0, world.isCalm() ? 500 : 6_000), () -> whenAwake(this::call));
        }

        private void call() {
            calls++;
            if (world.runs != null) {
                world.runs.call(this, leases);
                return;
            }
            LeaseOptions options = options().withTtl(TTL);
            if (world.random.nextInt(3) == 0) {
                options = options.withLockDelay(Duration.ofNanos(world.millis(100, LONGEST_LOCK_DELAY)));
            }
            var unused = leases.acquireAsync(WireRequest.KEY, options).whenComplete(this::called);
        }

        private LeaseOptions options() {
            if (world.isCalm()) {
                return LeaseOptions.waitFor(Duration.ofSeconds(60));
            }
            return switch (world.random.nextInt(4)) {
                case 0 -> LeaseOptions.noWait();
                case 1 -> LeaseOptions.defaults();
                default -> LeaseOptions.waitFor(Duration.ofNanos(world.millis(1_000, 40_000)));
            };
        }

        private void called(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
            if (acquisition instanceof Acquisition.Acquired acquired) {
                worker.start(acquired.lease());
                if (world.isCalm()) {
                    grantsInCalm++;
                }
            } else {
                world.coverage.count(failure == null ? "refused" : "unknown");
                world.note(failure == null ? Kind.REFUSED : Kind.UNKNOWN, name(), "", 0, 0);
                idle();
            }
        }

        private void told(LeaseEvent event) {
            world.coverage.count("event " + event.type());
            world.oracles.told(this, event);
            Lease lease = worker.lease;
            if (lease == null || !lease.id().equals(event.source().leaseId())) {
                return;
            }
            if (event instanceof LeaseEvent.Renewed) {
                noteHeld(Kind.RENEWED, lease);
            } else if (event instanceof LeaseEvent.Lost) {
                world.note(Kind.LOST, name(), lease.id(), lease.fence().value(), 0);
                world.sabotage.whenLost(lease.ref()).ifPresent(extra -> world.wire.send(this, extra, UNHEARD));
            } else if (event instanceof LeaseEvent.Released) {
                world.note(Kind.RELEASED, name(), lease.id(), lease.fence().value(), 0);
            }
        }

        private void noteHeld(Kind kind, Lease lease) {
            // A nanosecond less: rounded up, the last instant would belong to two holders.
            long until = world.now() + clockwork.inWorldTime(lease.remaining().toNanos()) - 1;
            world.note(kind, name(), lease.id(), lease.fence().value(), until);
        }

        /** Work under a lease: writes now and then, as long as the lease is valid, then gives it back. */
        private final class Worker {
            private @Nullable Lease lease;
            private int writesLeft;
            private boolean isDone;

            void start(Lease granted) {
                lease = granted;
                isDone = false;
                writesLeft = world.random.nextInt(world.isCalm() ? 3 : 8);
                world.coverage.count("granted");
                if (granted.predecessor().isPresent()) {
                    world.coverage.count("taken over");
                }
                noteHeld(Kind.ACQUIRED, granted);
                goOn(granted);
                if (world.areBusy && world.random.nextInt(4) == 0) {
                    renew(granted, world.random.nextInt(600));
                }
            }

            /** Renews by hand, again and again, and sooner than the store answers. */
            private void renew(Lease held, int times) {
                if (times > 0 && !isDone && held.isValid()) {
                    var unused = held.renewAsync();
                    world.after(world.millis(10, 30), () -> whenAwake(() -> renew(held, times - 1)));
                }
            }

            private void goOn(Lease held) {
                world.after(world.millis(5, world.isCalm() ? 300 : 5_000), () -> whenAwake(() -> write(held)));
            }

            private void write(Lease held) {
                if (writesLeft-- > 0 && held.isValid()) {
                    // Between the check and the write anything may happen: that is what the fence is for.
                    long fence = held.fence().value();
                    world.after(world.wire.delay(), () -> world.resource.write(name(), fence));
                    goOn(held);
                    return;
                }
                if (!held.state().isFinal()) {
                    world.note(Kind.RELEASING, name(), held.id(), held.fence().value(), 0);
                }
                isDone = true;
                var unused = held.releaseAsync().whenComplete((outcome, failure) -> {
                    world.coverage.count("release " + outcome);
                    lease = null;
                    idle();
                });
            }
        }
    }
}
