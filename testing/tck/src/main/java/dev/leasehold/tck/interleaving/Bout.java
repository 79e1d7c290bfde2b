package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.interleaving.Cell.Memory;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One cell while it runs: its key, its callers, the rival's open transaction and the call under way. */
final class Bout {
    /** The rival holds its locks for much less, so nothing but a store that waits too long takes this long. */
    private static final long LONGEST_ANSWER_MILLIS = 4_000;

    private static final long LATER_MICROS = 5_000;

    private final Cell cell;
    private final Arena arena;
    private final Rival rival;
    private final Key key;
    private final long seed;
    private @Nullable LeaseRecord before;
    private @Nullable LeaseRecord written;
    private Cast cast;
    private Threads.@Nullable Running<Object> call;
    private boolean isEarly;
    private long changed;
    private long asked;

    Bout(Cell cell, Arena arena, Rival rival) {
        this.cell = cell;
        this.arena = arena;
        this.rival = rival;
        UUID id = UUID.randomUUID();
        this.key = Key.of("m/" + id);
        this.seed = id.getMostSignificantBits();
        this.cast = Cast.of(key, seed, Fence.of(1), true, 1);
    }

    Key key() {
        return key;
    }

    /** Makes the record as it is before, and lets the store see the key if the cell says so. */
    void prepare() throws Exception {
        long age = cell.verb().ageMicros();
        Optional<LeaseRecord> seen = remember();
        long now = rival.nowMicros();
        Fence fence = seen.map(LeaseRecord::fence).orElse(Fence.of(now - age));
        cast = Cast.of(key, seed, fence, cell.before().isOurs(), age);
        LeaseRecord wanted = cell.before().record(cast, now);
        LeaseRecord record = wanted == null ? null : arena.kept(wanted);
        put(key, seen.orElse(null), record);
        if (cell.verb() == VerbForm.RENEW_SEVERAL) {
            for (LeaseRef lease : cast.neighbours()) {
                put(lease.key(), null, arena.kept(Before.neighbour(lease.key(), cast, now)));
            }
        }
        before = rival.read(key).orElse(null);
    }

    private void put(Key where, @Nullable LeaseRecord old, @Nullable LeaseRecord next) throws Exception {
        rival.lock(where);
        rival.write(where, old, next);
        rival.commit();
    }

    /** What is there after the store has seen the key. */
    private Optional<LeaseRecord> remember() throws Exception {
        if (cell.memory() == Memory.NOTHING) {
            return Optional.empty();
        }
        AcquireRequest request = AcquireRequest.of(key, new Nonce(seed, seed), Owner.of("earlier"), Cast.TTL);
        if (cell.memory() == Memory.RELEASED) {
            if (!arena.makesRecords()) {
                put(key, null, arena.kept(someRecord(Before.FREE)));
            }
            arena.store().release(ReleaseRequest.of(Ask.take(arena.store(), request)));
        } else {
            put(key, null, arena.kept(someRecord(Before.LIVE_OTHER)));
            arena.store().acquire(cell.verb().waits() ? request.inLineFor(Cast.PLACE_LIFE) : request);
        }
        return rival.read(key);
    }

    private LeaseRecord someRecord(Before state) throws Exception {
        long now = rival.nowMicros();
        long age = cell.verb().ageMicros();
        LeaseRecord record = state.record(Cast.of(key, seed, Fence.of(now - age), false, age), now);
        if (record == null) {
            throw new IllegalStateException("The state " + state + " has no record.");
        }
        return record;
    }

    /** The rival makes its change and keeps its transaction open. */
    void beginRival() throws Exception {
        LeaseRecord locked = rival.lock(key).orElse(null);
        changed = rival.nowMicros();
        LeaseRecord next = cell.meanwhile().apply(locked, cast, changed);
        written = next == null ? null : arena.kept(next);
        if (!Objects.equals(next, locked)) {
            rival.write(key, locked, written);
        }
    }

    void startCall() throws Exception {
        asked = rival.nowMicros();
        call = Threads.start(() -> cell.verb().ask(arena.store(), cast));
    }

    boolean isAnswered() {
        return call != null && call.task().isDone();
    }

    boolean isQueuing() {
        return call != null && (call.isWaiting() || call.task().isDone());
    }

    boolean isSeenWaiting() throws Exception {
        return rival.isWaitedFor();
    }

    void endRival() throws Exception {
        isEarly = isAnswered();
        if (cell.isCommitted()) {
            if (cell.meanwhile() == Meanwhile.RENEW) {
                renewLate();
            }
            rival.commit();
        } else {
            rival.rollback();
        }
    }

    /** The rival's renewal is later than the beginning of the call, so that a call with an old clock would move it back. */
    private void renewLate() throws Exception {
        while (changed < asked + LATER_MICROS) {
            LockSupport.parkNanos(1_000_000);
            changed = rival.nowMicros();
        }
        LeaseRecord earlier = written;
        LeaseRecord later = cell.meanwhile().apply(before, cast, changed);
        written = later == null ? null : arena.kept(later);
        rival.write(key, earlier, written);
    }

    /** What is wrong with the answer or the record afterwards. */
    Optional<String> judge() throws Exception {
        Object answer;
        try {
            answer = call == null ? "not asked" : call.task().get(LONGEST_ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return Optional.of("threw " + e.getCause());
        } catch (TimeoutException e) {
            return Optional.of("did not answer within " + LONGEST_ANSWER_MILLIS + " ms after the rival ended");
        }
        LeaseRecord after = rival.read(key).orElse(null);
        Judge.Times times = new Judge.Times(asked, changed, rival.nowMicros());
        Optional<String> wrong = new Judge(cell, cast, arena, before, written, times).judge(answer, after, isEarly);
        if (cell.verb() == VerbForm.PURGE) {
            put(key, after, null);
        }
        return wrong;
    }

    /** Ends a transaction that an error left open. */
    void giveUp() {
        try {
            rival.rollback();
        } catch (Exception e) {
            throw new IllegalStateException("The rival's transaction could not be ended: " + cell, e);
        }
    }
}
