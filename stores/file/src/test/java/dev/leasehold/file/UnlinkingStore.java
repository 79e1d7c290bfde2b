package dev.leasehold.file;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The lock file as it is often written, and wrong: a stale file is deleted, and then made anew. Of two who find it
 * stale, the slower deletes what the faster has just made.
 */
final class UnlinkingStore implements LeaseStore {
    private final Path file;
    private final LongSupplier clock;

    UnlinkingStore(Path file, LongSupplier clock) {
        this.file = file;
        this.clock = clock;
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        long now = clock.getAsLong();
        long expiry = now + request.ttl().toNanos() / 1_000;
        AcquireResult held = new AcquireResult.Held(
                null, Fence.of(1), Duration.ofSeconds(1), request.ttl(), Duration.ofSeconds(1), false);
        try {
            if (expiryMicros() > now) {
                return held;
            }
            LockSupport.parkNanos(200_000);
            Files.deleteIfExists(file);
            Files.writeString(file, Long.toString(expiry), StandardOpenOption.CREATE_NEW);
            return new AcquireResult.Granted(Fence.of(now), request.ttl(), 1, null, null);
        } catch (FileAlreadyExistsException e) {
            return held;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long expiryMicros() throws IOException {
        try {
            String content = Files.readString(file);
            return content.isEmpty() ? Long.MAX_VALUE : Long.parseLong(content);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    @Override
    public List<Renewal> renew(List<LeaseRef> leases) {
        return leases.stream()
                .map(lease -> new Renewal(lease, Duration.ofSeconds(1)))
                .toList();
    }

    @Override
    public Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ReleaseResult release(ReleaseRequest request) {
        try {
            Files.deleteIfExists(file);
            return ReleaseResult.RELEASED;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String name() {
        return "unlinking";
    }

    @Override
    public SettleResult settle(SettleRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<LeaseSnapshot> find(Key key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Page list(ListRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int purge(Duration retained, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
