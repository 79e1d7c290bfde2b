package dev.leasehold.tck.sim;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold at every moment of a simulation. Safety alone misses a third of all bugs, so these also ask whether
 * what happened was justified: a loss, a silence, a record that nobody wants.
 */
final class Oracles {
    private static final long TTL = SimClient.TTL.toNanos();
    private static final Set<String> ENDS =
            Set.of("lock:released", "lock:lost", "lock:cleanup-warning", "lock:settled", "lock:refused");

    private final World world;
    private final Map<Long, Nonce> nonceOfFence = new HashMap<>();
    private final Map<Nonce, SimClient.Life> lifeOfNonce = new HashMap<>();
    private final Map<Nonce, Integer> callOfNonce = new HashMap<>();
    private final Map<SimClient.Life, Nonce> wanted = new HashMap<>();
    private final Map<String, Long> lastTried = new HashMap<>();
    private final Map<Nonce, Long> lastConfirmed = new HashMap<>();
    private final Map<Nonce, Duration> lockDelays = new HashMap<>();
    private final Map<Nonce, Long> lastHeard = new HashMap<>();
    private final Map<String, String> lastEvent = new HashMap<>();
    private long largestFence;
    private long orphanSince = -1;
    private @Nullable Nonce orphan;
    private @Nullable LeaseRecord lastHeld;

    Oracles(World world) {
        this.world = world;
    }

    /** S1: at most one client thinks itself the holder. Called after every event. */
    void checkHolders() {
        SimClient.Life holder = null;
        for (SimClient client : world.clients) {
            SimClient.Life life = client.life();
            Fence fence = life.validFence();
            if (fence != null && !isCutShort(fence)) {
                if (holder != null) {
                    world.violated("S1", holder.name() + " and " + life.name() + " both hold the key");
                }
                holder = life;
            }
        }
    }

    /** The store's clock was set forward since it last confirmed this lease: it may be taken early (P3). */
    private boolean isCutShort(Fence fence) {
        Nonce nonce = nonceOfFence.get(fence.value());
        return nonce != null && lastConfirmed.getOrDefault(nonce, 0L) <= world.storeClockSetForwardAt();
    }

    /** A request left a client. */
    void sent(SimClient.Life life, WireRequest request) {
        for (Nonce nonce : request.nonces()) {
            lifeOfNonce.put(nonce, life);
            lastHeard.put(nonce, world.now());
        }
        if (request instanceof WireRequest.Renew renew) {
            renew.leases().forEach(lease -> tried(life, lease.key()));
        }
        if (request instanceof WireRequest.Acquire acquire) {
            tried(life, acquire.request().key());
        }
        if (request instanceof WireRequest.Acquire acquire
                && acquire.request().key().equals(WireRequest.KEY)) {
            Nonce nonce = acquire.request().nonce();
            lockDelays.put(nonce, acquire.request().lockDelay());
            if (!nonce.equals(wanted.put(life, nonce))) {
                callOfNonce.put(nonce, life.calls());
                world.note(Kind.CALLED, life.name(), nonce.toString(), 0, 0);
            }
        }
    }

    private void tried(SimClient.Life life, Key key) {
        lastTried.put(life.name() + " " + key, world.now());
    }

    /** The store carried out a request: S2 on the record itself, one nonce per fence for ever. */
    void carriedOut(WireRequest request) {
        request.nonces().forEach(nonce -> lastHeard.put(nonce, world.now()));
        changed(request.nonces().get(0));
        LeaseRecord record =
                world.store.find(WireRequest.KEY).map(LeaseSnapshot::record).orElse(null);
        Tenure tenure = record == null ? null : record.tenure();
        if (record == null || tenure == null) {
            return;
        }
        checkClosed(record, tenure.nonce());
        boolean isGrant = !tenure.nonce().equals(nonceOfFence.get(record.fence().value()));
        boolean isOwnRequest = request.nonces().contains(tenure.nonce()) && !(request instanceof WireRequest.Settle);
        if (record.state() == State.HELD && (isGrant || isOwnRequest)) {
            lastConfirmed.put(tenure.nonce(), world.now());
        }
        long fence = record.fence().value();
        Nonce known = nonceOfFence.putIfAbsent(fence, tenure.nonce());
        if (known == null && fence < largestFence) {
            world.violated("S2", "fence " + fence + " was granted after " + largestFence);
        }
        if (known != null && !known.equals(tenure.nonce())) {
            world.violated("S2", "fence " + fence + " belonged to " + known + " and now to " + tenure.nonce());
        }
        largestFence = Math.max(largestFence, fence);
    }

    /**
     * T06: while work goes on under a lost lease, nobody else is granted the key before that lease has expired and the
     * other's lock delay is over. A lease that is still valid is a matter of S1.
     */
    private void checkClosed(LeaseRecord record, Nonce nonce) {
        LeaseRecord before = lastHeld;
        lastHeld = record;
        Tenure earlier = before == null ? null : before.tenure();
        if (before == null || earlier == null || before.fence().equals(record.fence())) {
            return;
        }
        SimClient.Life life = lifeOfNonce.get(earlier.nonce());
        long now = world.storeMicros();
        long closedUntil = before.expiryMicros() + Micros.of(lockDelays.getOrDefault(nonce, Duration.ZERO));
        boolean isFromTheFuture = before.expiryMicros() > now + earlier.ttlMicros();
        if (life != null
                && life.isAlive()
                && life.worksOnAfterLosing(earlier.nonce(), before.fence())
                && now < closedUntil
                && !isFromTheFuture) {
            world.violated(
                    "lock delay",
                    "the key was granted " + (closedUntil - now) / 1_000 + " ms too early while " + life.name()
                            + " works on");
        }
    }

    /** Something was done to the store, by whoever has this nonce, or by nobody. */
    void changed(@Nullable Nonce by) {
        if (world.runs != null) {
            world.runs.changed(by);
        }
    }

    /** E01, E02: a lease's events end with one that is final. And a loss must have a reason. */
    void told(SimClient.Life life, LeaseEvent event) {
        String id = life.name() + event.source().leaseId();
        String before = lastEvent.put(id, event.type());
        if (before != null && ENDS.contains(before)) {
            world.violated("E02", life.name() + " was told " + event.type() + " after " + before);
        }
        if (event instanceof LeaseEvent.Acquired) {
            tried(life, event.source().scope());
        }
        Lease lease = life.lease();
        if (event instanceof LeaseEvent.Lost
                && lease != null
                && lease.id().equals(event.source().leaseId())) {
            boolean isStillOurs = world.store
                    .find(WireRequest.KEY)
                    .map(found -> lease.ref().equals(found.record().ref()))
                    .orElse(false);
            boolean isInTime = lease.expiresAt()
                    .isAfter(Instant.EPOCH.plusNanos(life.clockwork.now().wallMicros() * 1_000));
            if (isStillOurs && isInTime) {
                world.violated("justified loss", life.name() + " was told of a loss although it has the record");
            }
        }
    }

    /** Called now and then: heartbeats go on, and no record belongs to somebody who does not want it. */
    void checkJustified() {
        for (SimClient client : world.clients) {
            SimClient.Life life = client.life();
            life.leases().forEach(lease -> checkHeartbeat(life, lease));
        }
        LeaseSnapshot found = world.store.find(WireRequest.KEY).orElse(null);
        checkOrphan(found);
    }

    private void checkHeartbeat(SimClient.Life life, Lease lease) {
        long patience = TTL / 3 + TTL / 6 + 2_000_000_000L;
        if (!life.isAlive() || !lease.isValid() || !life.hasRunFor(patience)) {
            return;
        }
        if (world.now() - lastTried.getOrDefault(life.name() + " " + lease.key(), 0L) > patience) {
            world.violated(
                    "heartbeat",
                    life.name() + " holds a lease on " + lease.key() + " and has not tried to renew it for too long");
        }
    }

    private void checkOrphan(@Nullable LeaseSnapshot found) {
        Tenure tenure = found == null || !found.isHeld() || found.record().state() != State.HELD
                ? null
                : found.record().tenure();
        Nonce nonce = tenure == null ? null : tenure.nonce();
        SimClient.Life life = nonce == null ? null : lifeOfNonce.get(nonce);
        if (nonce == null || life == null || !life.isAlive() || !isUnwanted(life, nonce)) {
            orphan = null;
            return;
        }
        if (!nonce.equals(orphan)) {
            orphan = nonce;
            orphanSince = world.now();
        }
        long since = Math.max(orphanSince, lastHeard.getOrDefault(nonce, 0L));
        boolean isOfPresentCall = life.lease() == null && callOfNonce.getOrDefault(nonce, 0) == life.calls();
        // A late duplicate of a call that is over may block the others for a TTL; one's own present call never may.
        long patience = isOfPresentCall ? 3_000_000_000L : TTL + 3_000_000_000L;
        if (world.now() - world.storeClockSetBackAt() < patience + 3 * TTL) {
            // Its expiry lies an hour off. Whoever wants the key has to watch it for a TTL first (C03), which starts
            // anew with every crash and sleep of whoever watches.
            patience += 3 * TTL;
        }
        if (world.now() - since > patience) {
            world.violated("no orphan", "the record belongs to " + life.name() + ", which does not want it");
        }
    }

    private boolean isUnwanted(SimClient.Life life, Nonce nonce) {
        Lease lease = life.lease();
        boolean isHeld = lease != null
                && lease.ref().nonce().equals(nonce)
                && !lease.state().isFinal();
        return !isHeld && !nonce.equals(wanted.get(life)) && life.hasRunFor(TTL);
    }

    /** After the faults have stopped, everyone gets a turn. */
    void checkLiveness() {
        for (SimClient client : world.clients) {
            if (client.life().grantsInCalm() == 0) {
                world.violated("liveness", client.life().name() + " got no turn after the faults had stopped");
            }
        }
    }
}
