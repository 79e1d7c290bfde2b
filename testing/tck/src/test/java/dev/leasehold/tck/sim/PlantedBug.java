package dev.leasehold.tck.sim;

import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The fifteen bugs that the simulator must find, each as somebody once shipped it. */
enum PlantedBug {
    DEADLINE_FROM_REPLY("S1", DeadlineFromReply::new),
    UNCHECKED_RELEASE("S1, lock delay", () -> inStore(UncheckedRelease::new)),
    FENCE_RESET_ON_RELEASE("S2", () -> inStore(FenceResetOnRelease::new)),
    PURGE_RESETS_FENCE("S2", () -> inStore(PurgeResetsFence::new)),
    READ_THEN_WRITE_TAKEOVER("S1 S2", () -> inStore(ReadThenWriteTakeover::new)),
    NO_FENCE_AT_RESOURCE("S3", NoFenceAtResource::new),
    RELEASE_BY_OWNER("S1, lock delay", () -> inStore(ReleaseByOwner::new)),
    NO_DRIFT_MARGIN("S1", NoDriftMargin::new),
    RENEW_RECREATES_LOST_ROW("S2", () -> inStore(RenewRecreatesLostRow::new)),
    LOST_REPLY_TAKEN_FOR_LOSS("justified loss", LostReplyTakenForLoss::new),
    HEARTBEAT_DIES_ON_ERROR("heartbeat", HeartbeatDiesOnError::new),
    NEW_NONCE_ON_RETRY("no orphan, justified loss", NewNonceOnRetry::new),
    HANDED_OVER_BY_THE_STORES_CLOCK("S1", HandedOverByTheStoresClock::new),
    LOST_LEASE_IS_RELEASED("lock delay", LostLeaseIsReleased::new),
    MANUAL_RENEWALS_COME_FIRST("heartbeat", ManualRenewalsComeFirst::new);

    private final String brokenPromises;

    @SuppressWarnings("ImmutableEnumChecker") // Makes a new one each time.
    private final Supplier<Sabotage> sabotage;

    PlantedBug(String brokenPromises, Supplier<Sabotage> sabotage) {
        this.brokenPromises = brokenPromises;
        this.sabotage = sabotage;
    }

    /** Those of which one is broken first. */
    String brokenPromises() {
        return brokenPromises;
    }

    Sabotage plant() {
        return sabotage.get();
    }

    private static Sabotage inStore(Function<LongSupplier, LeaseStore> broken) {
        return new Sabotage() {
            @Override
            public LeaseStore store(LeaseStore healthy, LongSupplier clock) {
                return broken.apply(clock);
            }
        };
    }

    private static final class DeadlineFromReply implements Sabotage {
        @Override
        public Object received(String client, WireRequest request, Object reply, Duration sinceSent) {
            if (reply instanceof AcquireResult.Granted granted) {
                return new AcquireResult.Granted(
                        granted.fence(),
                        granted.remaining().plus(sinceSent),
                        granted.attempt(),
                        granted.predecessor(),
                        granted.checkpoint());
            }
            if (reply instanceof List<?> renewals) {
                return renewals.stream()
                        .map(Renewal.class::cast)
                        .map(renewal ->
                                new Renewal(renewal.lease(), renewal.remaining().plus(sinceSent)))
                        .toList();
            }
            return reply;
        }
    }

    private static final class UncheckedRelease extends RulesStore {
        UncheckedRelease(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<ReleaseResult> onRelease(LeaseRecord record, ReleaseRequest request, long now) {
            boolean isHeld = record != null && record.ref() != null;
            return super.onRelease(record, isHeld ? ReleaseRequest.of(record.ref()) : request, now);
        }
    }

    private static final class FenceResetOnRelease extends RulesStore {
        FenceResetOnRelease(LongSupplier clock) {
            super(clock);
        }

        @Override
        Fence fenceAfter(LeaseRecord before, Fence given) {
            boolean isReset = before == null || before.state() == State.FREE;
            return Fence.of(isReset ? 1 : before.fence().value() + 1);
        }
    }

    private static final class PurgeResetsFence extends RulesStore {
        PurgeResetsFence(LongSupplier clock) {
            super(clock);
        }

        @Override
        Fence fenceAfter(LeaseRecord before, Fence given) {
            return Fence.of(before == null ? 1 : before.fence().value() + 1);
        }
    }

    /** Decides on what was there a moment ago, and writes over what is there now. */
    private static final class ReadThenWriteTakeover extends RulesStore {
        private static final long MOMENT_MICROS = 100_000;
        private LeaseRecord earlier;
        private LeaseRecord latest;
        private long latestSince;

        ReadThenWriteTakeover(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<AcquireResult> onAcquire(LeaseRecord record, AcquireRequest request, long now) {
            if (!Objects.equals(record, latest)) {
                earlier = latest;
                latest = record;
                latestSince = now;
            }
            boolean wasExpired = earlier != null && earlier.state() == State.HELD && earlier.isOver(now);
            boolean isRecent = latestSince <= now && now - latestSince < MOMENT_MICROS;
            boolean isRace = record != null && wasExpired && isRecent;
            return super.onAcquire(isRace ? earlier.withFence(record.fence()) : record, request, now);
        }
    }

    private static final class NoFenceAtResource implements Sabotage {
        @Override
        public boolean isResourceFenced() {
            return false;
        }
    }

    private static final class ReleaseByOwner extends RulesStore {
        private final Map<Nonce, Owner> owners = new HashMap<>();

        ReleaseByOwner(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<AcquireResult> onAcquire(LeaseRecord record, AcquireRequest request, long now) {
            owners.put(request.nonce(), request.owner());
            return super.onAcquire(record, request, now);
        }

        @Override
        Change<ReleaseResult> onRelease(LeaseRecord record, ReleaseRequest request, long now) {
            Tenure tenure = record == null ? null : record.tenure();
            boolean isSameOwner =
                    tenure != null && tenure.owner() != null && tenure.owner().equals(owners.get(request.nonce()));
            return super.onRelease(record, isSameOwner ? ReleaseRequest.of(record.ref()) : request, now);
        }
    }

    private static final class NoDriftMargin implements Sabotage {
        @Override
        public LeasesBuilder client(LeasesBuilder healthy) {
            return healthy.margin(0, Duration.ZERO);
        }
    }

    private static final class RenewRecreatesLostRow extends RulesStore {
        RenewRecreatesLostRow(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<Optional<Renewal>> onRenew(LeaseRecord record, LeaseRef lease, long now) {
            boolean isGone = record == null || record.state() == State.FREE || record.isOver(now);
            if (!isGone || record == null || lease.equals(record.ref())) {
                return super.onRenew(record, lease, now);
            }
            long ttl = Micros.of(SimClient.TTL);
            LeaseRecord revived = new LeaseRecord(
                    record.key(),
                    record.fence(),
                    State.HELD,
                    new Tenure(lease.nonce(), null, ttl, now),
                    null,
                    now + ttl,
                    0,
                    record.progress(),
                    record.line());
            return new Change<>(revived, Optional.of(new Renewal(lease, SimClient.TTL)), List.of());
        }
    }

    private static final class LostReplyTakenForLoss implements Sabotage {
        @Override
        public Optional<Object> unanswered(String client, WireRequest request) {
            return request instanceof WireRequest.Renew ? Optional.of(List.of()) : Optional.empty();
        }
    }

    private static final class HeartbeatDiesOnError implements Sabotage {
        private final Set<String> dead = new HashSet<>();

        @Override
        public Optional<Object> unanswered(String client, WireRequest request) {
            if (request instanceof WireRequest.Renew) {
                dead.add(client);
            }
            return Optional.empty();
        }

        @Override
        public Optional<WireRequest> sent(String client, WireRequest request) {
            boolean isSwallowed = request instanceof WireRequest.Renew && dead.contains(client);
            return isSwallowed ? Optional.empty() : Optional.of(request);
        }
    }

    /** After a lost reply the call goes on under another name, and is in its own way. */
    private static final class NewNonceOnRetry implements Sabotage {
        private final Map<Nonce, Nonce> renamed = new HashMap<>();
        private final Set<Nonce> unanswered = new HashSet<>();
        private long names;

        @Override
        public Optional<Object> unanswered(String client, WireRequest request) {
            if (request instanceof WireRequest.Acquire acquire) {
                unanswered.add(acquire.request().nonce());
            }
            return Optional.empty();
        }

        @Override
        public Optional<WireRequest> sent(String client, WireRequest request) {
            if (request instanceof WireRequest.Acquire acquire) {
                AcquireRequest asked = acquire.request();
                Nonce present = renamed.getOrDefault(asked.nonce(), asked.nonce());
                if (unanswered.remove(present)) {
                    present = new Nonce(-1, ++names);
                    renamed.put(asked.nonce(), present);
                }
                return Optional.of(new WireRequest.Acquire(new AcquireRequest(
                        asked.key(),
                        present,
                        asked.owner(),
                        asked.ttl(),
                        asked.lockDelay(),
                        asked.placeLife(),
                        asked.ignoresCooldown(),
                        asked.fingerprint(),
                        asked.unmoved())));
            }
            if (request instanceof WireRequest.Renew renew) {
                return Optional.of(new WireRequest.Renew(
                        renew.leases().stream().map(this::renamed).toList()));
            }
            if (request instanceof WireRequest.Release release) {
                ReleaseRequest asked = release.request();
                Nonce nonce = renamed.getOrDefault(asked.nonce(), asked.nonce());
                return Optional.of(new WireRequest.Release(
                        new ReleaseRequest(asked.key(), nonce, asked.fence(), asked.ending(), asked.cooldown())));
            }
            return Optional.of(request);
        }

        private LeaseRef renamed(LeaseRef lease) {
            return new LeaseRef(lease.key(), renamed.getOrDefault(lease.nonce(), lease.nonce()), lease.fence());
        }

        @Override
        public Object received(String client, WireRequest request, Object reply, Duration sinceSent) {
            if (!(reply instanceof List<?> renewals)) {
                return reply;
            }
            Map<Nonce, Nonce> original = new HashMap<>();
            renamed.forEach((asked, present) -> original.put(present, asked));
            return renewals.stream()
                    .map(Renewal.class::cast)
                    .map(renewal -> {
                        LeaseRef lease = renewal.lease();
                        Nonce nonce = original.getOrDefault(lease.nonce(), lease.nonce());
                        return new Renewal(new LeaseRef(lease.key(), nonce, lease.fence()), renewal.remaining());
                    })
                    .toList();
        }
    }

    /** Counts the life of a lease that was handed over from the first request, by the store's clock. */
    private static final class HandedOverByTheStoresClock implements Sabotage {
        @Override
        public WakeUp wokenUp(WakeUp wakeUp, Duration inLine) {
            return wakeUp instanceof WakeUp.HandedOver handed
                    ? new WakeUp.HandedOver(
                            handed.lease(),
                            handed.waited(),
                            handed.remaining().plus(handed.waited()).minus(inLine),
                            handed.attempt())
                    : wakeUp;
        }
    }

    /** Gives a lost lease back at once, although work under it may go on. */
    private static final class LostLeaseIsReleased implements Sabotage {
        @Override
        public Optional<WireRequest> whenLost(LeaseRef lease) {
            return Optional.of(new WireRequest.Release(ReleaseRequest.of(lease)));
        }
    }

    /** Sends no other renewal within a quarter of a second after one that the holder asked for. */
    private static final class ManualRenewalsComeFirst implements Sabotage {
        private static final long MOMENT_MICROS = 250_000;
        private final Map<String, Long> lastAlone = new HashMap<>();
        private LongSupplier clock = () -> 0;

        @Override
        public LeaseStore store(LeaseStore healthy, LongSupplier clockMicros) {
            clock = clockMicros;
            return healthy;
        }

        @Override
        public Optional<WireRequest> sent(String client, WireRequest request) {
            if (!(request instanceof WireRequest.Renew renew)) {
                return Optional.of(request);
            }
            long now = clock.getAsLong();
            boolean isAlone =
                    renew.leases().size() == 1 && renew.leases().get(0).key().equals(WireRequest.KEY);
            if (isAlone) {
                lastAlone.put(client, now);
                return Optional.of(request);
            }
            boolean isStarved = now - lastAlone.getOrDefault(client, 0L) < MOMENT_MICROS;
            return isStarved ? Optional.empty() : Optional.of(request);
        }
    }
}
