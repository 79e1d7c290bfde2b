package dev.leasehold.faults;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Bugs that the suite must find, each as somebody once shipped it, and the fault that brings it to light. */
enum PlantedBug {
    UNCHECKED_RELEASE("stop", "S1", UncheckedRelease.class.getName(), true),
    DEADLINE_FROM_REPLY("stop", "S1", DeadlineFromReply.class.getName(), true),
    NEW_NONCE_ON_RETRY("lost-replies", "S6", NewNonceOnRetry.class.getName(), true),
    NO_FENCE_AT_RESOURCE("stop", "S3", "", false);

    final String fault;
    final String brokenPromise;
    final String sabotage;
    final boolean isResourceFenced;

    PlantedBug(String fault, String brokenPromise, String sabotage, boolean isResourceFenced) {
        this.fault = fault;
        this.brokenPromise = brokenPromise;
        this.sabotage = sabotage;
        this.isResourceFenced = isResourceFenced;
    }

    /** A release ends whatever lease there is. */
    static final class UncheckedRelease implements Sabotage {
        @Override
        public LeaseStore store(LeaseStore healthy) {
            return new ForwardingStore(healthy) {
                @Override
                public ReleaseResult release(ReleaseRequest request) {
                    if (request.fence() == null) {
                        return healthy.release(request); // A caller that gives up waiting has no lease to end.
                    }
                    return healthy.find(request.key())
                            .filter(found -> found.record().state() == State.HELD)
                            .map(found -> healthy.release(
                                    ReleaseRequest.of(found.record().ref())))
                            .orElse(ReleaseResult.RELEASED);
                }
            };
        }
    }

    /** The time a lease has left counts from when the reply came, and now and then a reply is slow. */
    static final class DeadlineFromReply implements Sabotage {
        private static final int SLOW_ONE_OF = 4;

        private final AtomicInteger grants = new AtomicInteger();

        @Override
        public LeaseStore store(LeaseStore healthy) {
            return new ForwardingStore(healthy) {
                @Override
                public AcquireResult acquire(AcquireRequest request) {
                    long sent = System.nanoTime();
                    AcquireResult result = healthy.acquire(request);
                    if (result instanceof AcquireResult.Granted && grants.incrementAndGet() % SLOW_ONE_OF == 0) {
                        LockSupport.parkNanos(Shift.TTL.toNanos() * 5 / 4);
                    }
                    return result instanceof AcquireResult.Granted granted
                            ? new AcquireResult.Granted(
                                    granted.fence(),
                                    granted.remaining().plus(since(sent)),
                                    granted.attempt(),
                                    granted.predecessor(),
                                    granted.checkpoint())
                            : result;
                }

                @Override
                public List<Renewal> renew(List<LeaseRef> leases) {
                    long sent = System.nanoTime();
                    return healthy.renew(leases).stream()
                            .map(renewal -> new Renewal(
                                    renewal.lease(), renewal.remaining().plus(since(sent))))
                            .toList();
                }
            };
        }

        private static Duration since(long sent) {
            return Duration.ofNanos(System.nanoTime() - sent);
        }
    }

    /** After a lost reply the call goes on under another name. */
    static final class NewNonceOnRetry implements Sabotage {
        @Override
        public LeaseStore store(LeaseStore healthy) {
            return new Renaming(healthy);
        }

        private static final class Renaming extends ForwardingStore {
            private final Map<Nonce, Nonce> renamed = new HashMap<>();
            private final Map<Nonce, Nonce> original = new HashMap<>();
            private final Set<Nonce> unanswered = new HashSet<>();

            Renaming(LeaseStore healthy) {
                super(healthy);
            }

            @Override
            public AcquireResult acquire(AcquireRequest request) {
                Nonce nonce = name(request.nonce());
                try {
                    return store.acquire(new AcquireRequest(
                            request.key(),
                            nonce,
                            request.owner(),
                            request.ttl(),
                            request.lockDelay(),
                            request.placeLife(),
                            request.ignoresCooldown(),
                            request.fingerprint(),
                            request.unmoved()));
                } catch (StoreUnavailableException e) {
                    synchronized (this) {
                        unanswered.add(request.nonce());
                    }
                    throw e;
                }
            }

            private synchronized Nonce name(Nonce asked) {
                if (unanswered.remove(asked)) {
                    Nonce other = new Nonce(System.nanoTime(), asked.low());
                    renamed.put(asked, other);
                    original.put(other, asked);
                }
                return present(asked);
            }

            private synchronized Nonce present(Nonce asked) {
                return renamed.getOrDefault(asked, asked);
            }

            @Override
            public List<Renewal> renew(List<LeaseRef> leases) {
                List<LeaseRef> present = leases.stream()
                        .map(lease -> new LeaseRef(lease.key(), present(lease.nonce()), lease.fence()))
                        .toList();
                return store.renew(present).stream().map(this::asAsked).toList();
            }

            private synchronized Renewal asAsked(Renewal renewal) {
                LeaseRef lease = renewal.lease();
                Nonce nonce = original.getOrDefault(lease.nonce(), lease.nonce());
                return new Renewal(new LeaseRef(lease.key(), nonce, lease.fence()), renewal.remaining());
            }

            @Override
            public ReleaseResult release(ReleaseRequest request) {
                return store.release(new ReleaseRequest(
                        request.key(),
                        present(request.nonce()),
                        request.fence(),
                        request.ending(),
                        request.cooldown()));
            }
        }
    }
}
