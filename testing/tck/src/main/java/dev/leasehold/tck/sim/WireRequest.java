package dev.leasehold.tck.sim;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import java.util.List;

/** A request on its way to the store. */
public sealed interface WireRequest {
    /** Carries it out. */
    Object perform(LeaseStore store);

    /** Whose calls and leases it speaks for. */
    List<Nonce> nonces();

    record Acquire(AcquireRequest request) implements WireRequest {
        @Override
        public Object perform(LeaseStore store) {
            return store.acquire(request);
        }

        @Override
        public List<Nonce> nonces() {
            return List.of(request.nonce());
        }
    }

    record Renew(List<LeaseRef> leases) implements WireRequest {
        @Override
        public Object perform(LeaseStore store) {
            return store.renew(leases);
        }

        @Override
        public List<Nonce> nonces() {
            return leases.stream().map(LeaseRef::nonce).toList();
        }
    }

    record Release(ReleaseRequest request) implements WireRequest {
        @Override
        public Object perform(LeaseStore store) {
            return store.release(request);
        }

        @Override
        public List<Nonce> nonces() {
            return List.of(request.nonce());
        }
    }

    record Settle(SettleRequest request) implements WireRequest {
        @Override
        public Object perform(LeaseStore store) {
            return store.settle(request);
        }

        @Override
        public List<Nonce> nonces() {
            return List.of(request.lease().nonce());
        }
    }

    /** The key that all simulated clients are after. */
    Key KEY = Key.of("simulated", "key");
}
