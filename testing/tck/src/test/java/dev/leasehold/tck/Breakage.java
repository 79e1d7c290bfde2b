package dev.leasehold.tck;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Progress;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What can be wrong with a store, as somebody's was once, and the cases that must notice. */
enum Breakage {
    NONE,
    RELEASE_BY_OWNER(Breakage.MODEL, "L03") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            boolean isSameOwner = record != null
                    && record.state() == State.HELD
                    && by.equals(Optional.ofNullable(record.tenure().owner()));
            return super.release(record, isSameOwner ? ReleaseRequest.of(record.ref()) : request, by, now);
        }
    },
    FENCE_RESET_ON_RELEASE(Breakage.MODEL, "L01", "F01", "F02", "F05") {
        @Override
        Fence fence(LeaseRecord before, Fence given) {
            boolean isReset = before == null || before.state() == State.FREE;
            return Fence.of(isReset ? 2 : before.fence().value() + 1);
        }
    },
    FENCE_REPEATS(Breakage.MODEL, "L01", "F01", "F05") {
        @Override
        Fence fence(LeaseRecord before, Fence given) {
            return before == null ? given : Fence.of(Math.max(before.fence().value(), given.value() - 1));
        }
    },
    FENCE_IS_A_BARE_COUNTER(Breakage.MODEL, "F02", "F03", "F04") {
        @Override
        Fence fence(LeaseRecord before, Fence given) {
            return before == null ? Fence.of(2) : Fence.of(before.fence().value() + 1);
        }
    },
    RENEW_RECREATES_WHAT_WAS_LOST(Breakage.MODEL, "R02", "R03", "R06", "R07") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, long now) {
            Tenure mine = new Tenure(lease.nonce(), null, 1_000_000, now);
            LeaseRecord written = new LeaseRecord(
                    lease.key(), lease.fence(), State.HELD, mine, null, now, 0, Progress.NONE, List.of());
            boolean isMine = record != null && lease.equals(record.ref()) && record.state() == State.HELD;
            return super.renew(isMine ? record : written, lease, now);
        }
    },
    EXPIRED_LEASE_IS_NOT_RENEWED(Breakage.MODEL, "R06", "C02") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, long now) {
            return record != null && record.isOver(now)
                    ? new Change<>(record, Optional.empty(), List.of())
                    : super.renew(record, lease, now);
        }
    },
    TOMBSTONE_IS_IGNORED(Breakage.MODEL, "A06") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            return super.acquire(record == null ? null : Records.withTombstone(record, null), request, now);
        }
    },
    REFUSAL_WRITES(Breakage.MODEL, "A02", "W04") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            Change<AcquireResult> change = super.acquire(record, request, now);
            return change.result() instanceof Held
                    ? Records.keeping(
                            change,
                            Records.withExpiry(change.record(), change.record().expiryMicros() + 1))
                    : change;
        }
    },
    SAME_NONCE_IS_REFUSED(Breakage.MODEL, "A05", "O18", "W05") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            boolean isAskedAgain = record != null
                    && record.state() == State.HELD
                    && record.tenure().nonce().equals(request.nonce());
            AcquireRequest asked = isAskedAgain
                    ? AcquireRequest.of(request.key(), new Nonce(1, 1), request.owner(), request.ttl())
                    : request;
            return super.acquire(record, asked, now);
        }
    },
    RETRY_COUNTS_AS_ATTEMPT(Breakage.MODEL, "A05", "O18") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            boolean isAskedAgain = record != null
                    && record.state() == State.HELD
                    && record.tenure().nonce().equals(request.nonce());
            if (!isAskedAgain) {
                return super.acquire(record, request, now);
            }
            Progress was = record.progress();
            Progress more = new Progress(was.attempts() + 1, true, was.fingerprint(), was.predecessor(), was.payload());
            return super.acquire(Records.withProgress(record, more), request, now);
        }
    },
    HAND_OVER_COUNTS_AS_ATTEMPT(Breakage.MODEL, "O12") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            Change<ReleaseResult> change = super.release(record, request, by, now);
            if (change.record() == null) {
                return change;
            }
            Progress was = change.record().progress();
            Progress counted = new Progress(was.attempts(), true, was.fingerprint(), was.predecessor(), was.payload());
            return Records.keeping(change, Records.withProgress(change.record(), counted));
        }
    },
    RENEWAL_DOES_NOT_CONFIRM(Breakage.MODEL, "O12") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, long now) {
            Change<Optional<Renewal>> change = super.renew(record, lease, now);
            return change.result().isPresent()
                    ? Records.keeping(change, Records.withProgress(change.record(), record.progress()))
                    : change;
        }
    },
    OTHER_TTL_IS_NOT_KEPT(Breakage.MODEL, "R15") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            Change<Optional<Renewal>> change = super.renew(record, lease, ttl, now);
            return change.result().isPresent()
                    ? Records.keeping(change, Records.withTenure(change.record(), record.tenure()))
                    : change;
        }
    },
    SHORTER_TTL_DOES_NOT_SHORTEN(Breakage.MODEL, "R15") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            Change<Optional<Renewal>> change = super.renew(record, lease, ttl, now);
            return change.result().isPresent() && change.record().expiryMicros() < record.expiryMicros()
                    ? Records.keeping(change, Records.withExpiry(change.record(), record.expiryMicros()))
                    : change;
        }
    },
    LONGER_TTL_COUNTS_FROM_THE_NEXT_RENEWAL(Breakage.MODEL, "R15") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            Change<Optional<Renewal>> change = super.renew(record, lease, ttl, now);
            return change.result().isPresent() && change.record().expiryMicros() > record.expiryMicros()
                    ? Records.keeping(change, Records.withExpiry(change.record(), record.expiryMicros()))
                    : change;
        }
    },
    ANYONE_CHANGES_THE_TTL(Breakage.MODEL, "R16") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            boolean isHeld = record != null && record.state() == State.HELD;
            return super.renew(record, isHeld ? record.ref() : lease, ttl, now);
        }
    },
    RENEWAL_WITH_TTL_REVIVES(Breakage.MODEL, "R16") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            boolean isHeld = record != null && record.state() == State.HELD;
            Tenure mine = new Tenure(lease.nonce(), null, 1_000_000, now);
            LeaseRecord revived = new LeaseRecord(
                    lease.key(), lease.fence(), State.HELD, mine, null, now, 0, Progress.NONE, List.of());
            return super.renew(isHeld ? record : revived, lease, ttl, now);
        }
    },
    RENEWAL_WITH_TTL_DOES_NOT_CONFIRM(Breakage.MODEL, "R15") {
        @Override
        Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
            Change<Optional<Renewal>> change = super.renew(record, lease, ttl, now);
            return change.result().isPresent()
                    ? Records.keeping(change, Records.withProgress(change.record(), record.progress()))
                    : change;
        }
    },
    LIVE_AT_THE_MOMENT_OF_EXPIRY(Breakage.MODEL, "C07") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            return super.acquire(record, request, record != null && record.expiryMicros() == now ? now - 1 : now);
        }
    },
    LOCK_DELAY_IS_IGNORED(Breakage.MODEL, "T06") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            return super.acquire(record, request.withLockDelay(Duration.ZERO), now);
        }
    },
    UNMOVED_HOLDER_IS_TAKEN_UNCHECKED(Breakage.MODEL, "C03") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            boolean isOverruled = record != null && record.fence().equals(request.unmoved());
            return super.acquire(isOverruled ? Records.withExpiry(record, now) : record, request, now);
        }
    },
    MISMATCH_IS_UNCHECKED(Breakage.MODEL, "O04") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            return super.acquire(record, request.withFingerprint(null), now);
        }
    },
    SETTLE_IS_UNCONDITIONAL(Breakage.MODEL, "O09", "O10") {
        @Override
        Change<SettleResult> settle(LeaseRecord record, SettleRequest request, long now) {
            return record == null || record.ref() == null
                    ? super.settle(record, request, now)
                    : super.settle(
                            record,
                            new SettleRequest(
                                    record.ref(), request.settlement(), request.amends(), request.checkpointNumber()),
                            now);
        }
    },
    CHECKPOINTS_HAVE_NO_ORDER(Breakage.MODEL, "O02") {
        @Override
        Change<SettleResult> settle(LeaseRecord record, SettleRequest request, long now) {
            Settlement settlement = request.settlement();
            return super.settle(
                    record,
                    settlement.isCheckpoint()
                            ? SettleRequest.checkpoint(request.lease(), settlement, Integer.MAX_VALUE)
                            : request,
                    now);
        }
    },
    CHECKPOINT_NUMBER_OUTLIVES_ITS_HOLDER(Breakage.MODEL, "O11") {
        @Override
        Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
            Change<AcquireResult> change = super.acquire(record, request, now);
            Tenure old = record == null ? null : record.tenure();
            LeaseRecord next = change.record();
            return old == null || next.tenure() == null
                    ? change
                    : Records.keeping(change, Records.withTenure(next, numbered(next.tenure(), old)));
        }
    },
    PAYLOAD_IS_KEPT_AS_TEXT(Breakage.MODEL, "O02", "O11") {
        @Override
        Change<SettleResult> settle(LeaseRecord record, SettleRequest request, long now) {
            Settlement given = request.settlement();
            Payload text =
                    given.payload() == null ? null : Payload.of(given.payload().text());
            Settlement settlement = new Settlement(given.state(), text, given.retention());
            return super.settle(record, with(settlement, request), now);
        }
    },
    RETENTION_OVERFLOWS(Breakage.MODEL, "O15") {
        @Override
        Change<SettleResult> settle(LeaseRecord record, SettleRequest request, long now) {
            Settlement given = request.settlement();
            Duration retention = Micros.isForever(given.retention()) ? Duration.ZERO : given.retention();
            Settlement settlement = new Settlement(given.state(), given.payload(), retention);
            return super.settle(record, with(settlement, request), now);
        }
    },
    COOLDOWN_IS_FORGOTTEN(Breakage.MODEL, "L11") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            return super.release(record, request.withCooldown(Duration.ZERO), by, now);
        }
    },
    HAND_OVER_TO_THE_LAST(Breakage.MODEL, "W04") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            if (record == null) {
                return super.release(null, request, by, now);
            }
            List<Place> line = new ArrayList<>(record.line());
            Collections.reverse(line);
            return super.release(record.withLine(line), request, by, now);
        }
    },
    HAND_OVER_TO_ANOTHER_REQUEST(Breakage.MODEL, "O04") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            if (record == null) {
                return super.release(null, request, by, now);
            }
            List<Place> line = new ArrayList<>();
            for (Place place : record.line()) {
                line.add(new Place(
                        place.nonce(),
                        place.owner(),
                        place.ttlMicros(),
                        null,
                        place.sinceMicros(),
                        place.untilMicros()));
            }
            return super.release(record.withLine(line), request, by, now);
        }
    },
    LINE_IS_FORGOTTEN_AT_RELEASE(Breakage.MODEL, "W03", "W04", "W05") {
        @Override
        Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
            return super.release(record == null ? null : record.withLine(List.of()), request, by, now);
        }
    },
    WAKE_UPS_ARE_TOLD_TWICE("O02", "W04") {
        @Override
        int copiesOfWakeUps() {
            return 2;
        }
    },
    WAKE_UPS_ARE_NOT_TOLD("O02", "W04", "W05") {
        @Override
        int copiesOfWakeUps() {
            return 0;
        }
    },
    PURGE_DROPS_WHAT_LIVES(Breakage.MODEL, "F02", "O15") {
        @Override
        boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
            return record.fence().value() < now - Micros.of(retained);
        }
    },
    PURGE_IGNORES_FENCES(Breakage.MODEL, "F06") {
        @Override
        boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
            return super.isPurgeable(record.withFence(Fence.of(1)), retained, now);
        }
    },
    KEYS_ARE_FOLDED_BY_CASE("A10") {
        @Override
        Key identity(Key key) {
            return Key.of(key.value().toLowerCase(Locale.ROOT));
        }
    },
    KEYS_LOSE_TRAILING_BLANKS("A10") {
        @Override
        Key identity(Key key) {
            return Key.of(key.value().stripTrailing());
        }
    },
    PREFIX_IGNORES_CASE("A10") {
        @Override
        boolean covers(ListRequest request, Key key) {
            return key.value()
                            .toLowerCase(Locale.ROOT)
                            .startsWith(request.prefix().toLowerCase(Locale.ROOT))
                    && (request.after() == null || key.compareTo(request.after()) > 0);
        }
    },
    PREFIX_IS_A_PATTERN("A10") {
        @Override
        boolean covers(ListRequest request, Key key) {
            String like =
                    Pattern.quote(request.prefix()).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q");
            return Pattern.matches(like + ".*", key.value())
                    && (request.after() == null || key.compareTo(request.after()) > 0);
        }
    },
    LIST_IS_IN_THE_ORDER_OF_CHARS("A10") {
        @Override
        int order(Key one, Key other) {
            return one.value().compareTo(other.value());
        }
    },
    READS_THEN_WRITES("A03", "A04") {
        @Override
        boolean isAtomic() {
            return false;
        }
    };

    private static SettleRequest with(Settlement settlement, SettleRequest request) {
        return new SettleRequest(request.lease(), settlement, request.amends(), request.checkpointNumber());
    }

    private static Tenure numbered(Tenure tenure, Tenure from) {
        return new Tenure(
                tenure.nonce(), tenure.owner(), tenure.ttlMicros(), tenure.sinceMicros(), from.checkpointNumber());
    }

    /** How the name of the model test begins, which has no id. */
    static final String MODEL = "Model:";

    @SuppressWarnings("ImmutableEnumChecker") // It is: made by Set.of.
    private final Set<String> noticedBy;

    Breakage(String... noticedBy) {
        this.noticedBy = Set.of(noticedBy);
    }

    /** The ids of the cases that must fail. */
    Set<String> noticedBy() {
        return noticedBy;
    }

    Change<AcquireResult> acquire(LeaseRecord record, AcquireRequest request, long now) {
        return LeaseRules.acquire(record, request, now);
    }

    Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, long now) {
        return LeaseRules.renew(record, lease, now);
    }

    Change<Optional<Renewal>> renew(LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
        return LeaseRules.renew(record, lease, ttl, now);
    }

    Change<ReleaseResult> release(LeaseRecord record, ReleaseRequest request, Optional<Owner> by, long now) {
        return LeaseRules.release(record, request, now);
    }

    Change<SettleResult> settle(LeaseRecord record, SettleRequest request, long now) {
        return LeaseRules.settle(record, request, now);
    }

    boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
        return LeaseRules.isPurgeable(record, retained, now);
    }

    Fence fence(LeaseRecord before, Fence given) {
        return given;
    }

    Key identity(Key key) {
        return key;
    }

    boolean covers(ListRequest request, Key key) {
        return request.covers(key);
    }

    int order(Key one, Key other) {
        return one.compareTo(other);
    }

    int copiesOfWakeUps() {
        return 1;
    }

    boolean isAtomic() {
        return true;
    }
}
