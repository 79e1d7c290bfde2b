package dev.leasehold.tck;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Requests drawn by lot from so few keys, nonces and times that they get in each other's way. */
final class ModelRequests {
    private static final int KEYS = 3;
    private static final int NONCES = 4;

    private final List<Key> keys = new ArrayList<>();
    private final List<Nonce> nonces = new ArrayList<>();
    private final List<LeaseRef> known = new ArrayList<>();
    private final Duration unit;
    private final boolean isTimeReal;

    /** @param unit the TTL of which all times are a small multiple */
    ModelRequests(String prefix, Duration unit, boolean isTimeReal) {
        this.unit = unit;
        this.isTimeReal = isTimeReal;
        for (int i = 0; i < KEYS; i++) {
            keys.add(Key.of(prefix + i));
        }
        for (int i = 0; i < NONCES; i++) {
            nonces.add(StoreFixture.nonce());
        }
    }

    List<Key> keys() {
        return keys;
    }

    /** A lease that there was, which later requests may name rightly or too late. */
    void remember(LeaseRecord record) {
        LeaseRef ref = record.ref();
        if (ref != null && !known.contains(ref)) {
            known.add(ref);
        }
    }

    Draw draw(long seed, Map<Key, LeaseRecord> records) {
        return new Draw(new Random(seed), records);
    }

    /** What one step asks for. */
    final class Draw {
        private final Random random;
        private final Map<Key, LeaseRecord> records;

        private Draw(Random random, Map<Key, LeaseRecord> records) {
            this.random = random;
            this.records = records;
        }

        AcquireRequest acquire() {
            Key key = one(keys);
            Fence fence = fence(records.get(key));
            Nonce nonce = one(nonces);
            AcquireRequest plain = AcquireRequest.of(key, nonce, Owner.of("owner " + random.nextInt(2)), times(1, 3));
            AcquireRequest request = plain.withLockDelay(sometimes(4) ? unit : Duration.ZERO)
                    .inLineFor(sometimes(2) ? times(1, 4) : Duration.ZERO)
                    .withFingerprint(sometimes(2) ? "request " + random.nextInt(2) : null)
                    .overruling(sometimes(3) ? Fence.of(fence.value() + random.nextInt(2)) : null);
            return sometimes(3) ? request.ignoringCooldown() : request;
        }

        List<LeaseRef> renew() {
            List<LeaseRef> leases = new ArrayList<>();
            for (Key key : keys) {
                if (sometimes(2)) {
                    leases.add(lease(key));
                }
            }
            return leases;
        }

        ModelRun.NewTtl renewWithTtl() {
            return new ModelRun.NewTtl(lease(one(keys)), times(1, 3));
        }

        ReleaseRequest release() {
            LeaseRef lease = lease(one(keys));
            Nonce nonce = sometimes(4) ? one(nonces) : lease.nonce();
            Ending ending = one(List.of(Ending.values()));
            Duration cooldown = sometimes(4) ? times(1, 2) : Duration.ZERO;
            return new ReleaseRequest(lease.key(), nonce, sometimes(3) ? null : lease.fence(), ending, cooldown);
        }

        SettleRequest settle() {
            LeaseRef lease = lease(one(keys));
            Payload payload = sometimes(4) ? null : Payload.of(new byte[] {0, (byte) (0xFE + random.nextInt(2))});
            State state = one(List.of(State.HELD, State.HELD, State.DONE, State.FAILED, State.HOLD));
            Settlement settlement = new Settlement(state, payload, sometimes(8) ? Micros.FOREVER : times(0, 2));
            return settlement.isCheckpoint()
                    ? SettleRequest.checkpoint(lease, settlement, random.nextInt(4))
                    : new SettleRequest(lease, settlement, sometimes(4), 0);
        }

        /** Often to the very moment at which something ends, where time can be moved that exactly. */
        Duration elapse(Duration tick) {
            if (isTimeReal) {
                return sometimes(2) ? unit : unit.dividedBy(2);
            }
            return one(List.of(tick, unit.dividedBy(2), unit.minus(tick), unit, times(1, 3)));
        }

        Duration setBack() {
            return sometimes(2) ? unit.multipliedBy(20) : times(1, 3);
        }

        Duration retained() {
            return times(0, 2);
        }

        int limit() {
            return 1 + random.nextInt(KEYS + 1);
        }

        /** The lease that a key has now, mostly; or one that it had, or never had. */
        private LeaseRef lease(Key key) {
            LeaseRecord record = records.get(key);
            LeaseRef present = record == null ? null : record.ref();
            if (present != null && !sometimes(4)) {
                return present;
            }
            List<LeaseRef> earlier =
                    known.stream().filter(ref -> ref.key().equals(key)).toList();
            return earlier.isEmpty() || sometimes(4)
                    ? new LeaseRef(key, one(nonces), fence(record))
                    : earlier.get(random.nextInt(earlier.size()));
        }

        private Fence fence(@Nullable LeaseRecord record) {
            return record == null ? Fence.of(1) : record.fence();
        }

        private Duration times(int least, int most) {
            return Micros.toDuration(Micros.of(unit) * (least + random.nextInt(most - least + 1)));
        }

        private boolean sometimes(int oneIn) {
            return random.nextInt(oneIn) == 0;
        }

        private <T> T one(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }
    }
}
