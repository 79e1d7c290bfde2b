package dev.leasehold.tck.sim;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The network between clients and the store: late, lossy, and given to repeating itself. */
final class Wire {
    /** What a request or reply takes at least in a busy world, in nanoseconds. */
    private static final long LONG_WAY = 20_000_000;

    private final World world;
    private final Map<Nonce, SimClient.Life> lives = new HashMap<>();
    private final Map<Nonce, Long> firstSent = new HashMap<>();
    private final Map<Nonce, Long> lastRefused = new HashMap<>();

    Wire(World world) {
        this.world = world;
        world.store.onWakeUp(this::wakeUp);
    }

    <T> void send(SimClient.Life life, WireRequest request, Clockwork.Reply<T> reply) {
        Optional<WireRequest> kept = world.sabotage.sent(life.name(), request);
        if (kept.isEmpty()) {
            return;
        }
        WireRequest sent = kept.get();
        long sentAt = world.now();
        sent.nonces().forEach(nonce -> {
            lives.put(nonce, life);
            firstSent.putIfAbsent(nonce, sentAt);
        });
        world.oracles.sent(life, sent);
        if (world.strikes(SimFault.DUPLICATE, 0.04)) {
            world.after(delay(), () -> carryOut(sent));
        }
        if (world.strikes(SimFault.LOST_REQUEST, 0.06)) {
            unanswered(life, sent, reply);
            return;
        }
        boolean isBroken = world.strikes(SimFault.BROKEN_CONNECTION, 0.05);
        if (isBroken) {
            Optional<Object> substitute = world.sabotage.unanswered(life.name(), sent);
            world.after(
                    delay(),
                    () -> life.whenAwake(() -> substitute.ifPresentOrElse(
                            result -> answer(reply, result),
                            () -> reply.failed(new StoreUnavailableException("The connection broke.")))));
        }
        world.after(delay(), () -> {
            Object result;
            try {
                result = carryOut(sent);
            } catch (StoreException e) {
                world.after(delay(), () -> life.whenAwake(() -> reply.failed(e)));
                return;
            }
            if (isBroken) {
                return;
            }
            if (world.strikes(SimFault.LOST_REPLY, 0.06)) {
                unanswered(life, sent, reply);
                return;
            }
            world.after(
                    delay(),
                    () -> life.whenAwake(() -> {
                        Duration elapsed = Duration.ofNanos(world.now() - sentAt);
                        if (result instanceof AcquireResult.Held) {
                            lastRefused.merge(sent.nonces().get(0), sentAt, Math::max);
                        }
                        answer(reply, world.sabotage.received(life.name(), sent, result, elapsed));
                    }));
        });
    }

    private <T> void unanswered(SimClient.Life life, WireRequest request, Clockwork.Reply<T> reply) {
        world.sabotage
                .unanswered(life.name(), request)
                .ifPresent(result -> world.after(delay(), () -> life.whenAwake(() -> answer(reply, result))));
    }

    @SuppressWarnings("unchecked") // The reply is for the very request that the result came from.
    private static <T> void answer(Clockwork.Reply<T> reply, Object result) {
        reply.answered((T) result);
    }

    private Object carryOut(WireRequest request) {
        if (world.strikes(SimFault.STORE_CLOCK_STEP, 0.002)) {
            world.stepStoreClock();
        }
        Object result = request.perform(world.store);
        if (result instanceof AcquireResult answer) {
            world.coverage.count("answer " + answer.getClass().getSimpleName());
        }
        world.oracles.carriedOut(request);
        return result;
    }

    private void wakeUp(WakeUp wakeUp) {
        SimClient.Life life = lives.get(wakeUp.nonce());
        if (life != null && !world.strikes(SimFault.LOST_WAKE_UP, 0.2)) {
            world.coverage.count("wake-up " + wakeUp.getClass().getSimpleName());
            world.after(delay(), () -> life.whenAwake(() -> life.wakeUp(sabotaged(wakeUp))));
        }
    }

    private WakeUp sabotaged(WakeUp wakeUp) {
        long first = firstSent.getOrDefault(wakeUp.nonce(), 0L);
        long last = lastRefused.getOrDefault(wakeUp.nonce(), first);
        return world.sabotage.wokenUp(wakeUp, Duration.ofNanos(last - first));
    }

    /** Mostly a few milliseconds, sometimes seconds. */
    long delay() {
        if (world.strikes(SimFault.LATE, 0.03)) {
            return world.millis(0, 25_000);
        }
        int kind = world.random.nextInt(50);
        long least = world.areBusy ? LONG_WAY : 0;
        return least + (kind == 0 ? world.millis(0, 3_000) : kind < 25 ? world.millis(0, 2) : world.millis(1, 30));
    }
}
