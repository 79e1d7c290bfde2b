package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.ForwardingStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Bugs that the suite must find, one for each layer, and the fault that brings each to light. */
enum PlantedBug {
    UNCHECKED_RELEASE("twice", "S1", UncheckedRelease.class.getName(), true),
    DEADLINE_FROM_REPLY("very-slow", "S1", DeadlineFromReply.class.getName(), true),
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

    /** In the script: a release ends whatever lease there is. */
    static final class UncheckedRelease implements Sabotage {
        private static final String CHECK = " and record[2] == nonce\n  and (ARGV[2] == '' or ARGV[2] == fence)";

        @Override
        public LeaseStore store(LeaseStore healthy, String url) {
            RedisServer server = RedisServer.at(url);
            String script = part("clock") + part("prelude") + part("line") + withoutCheck(part("release"));
            return new ForwardingStore(healthy) {
                @Override
                public ReleaseResult release(ReleaseRequest request) {
                    Fence fence = request.fence();
                    if (fence == null) {
                        return healthy.release(request); // A caller that gives up waiting has no lease to end.
                    }
                    try {
                        String key = "leasehold:" + request.key();
                        String nonce = request.nonce().toString();
                        String channel = "leasehold:\twake:";
                        server.call(
                                "EVAL", script, "1", key, nonce, fence.toString(), "W", "0", "2000000", channel, "10");
                        return ReleaseResult.RELEASED;
                    } catch (UncheckedIOException e) {
                        throw new StoreUnavailableException("The script was not run.", e);
                    }
                }
            };
        }

        private static String part(String name) {
            String path = "/dev/leasehold/redis/" + name + ".lua";
            try (InputStream in = Objects.requireNonNull(LeaseStore.class.getResourceAsStream(path), path)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static String withoutCheck(String script) {
            if (!script.contains(CHECK)) {
                throw new IllegalStateException("The script checks in another way: " + script);
            }
            return script.replace(CHECK, "");
        }
    }

    /** In the client: the time that a lease has left counts from when it hears of it. */
    static final class DeadlineFromReply implements Sabotage {
        @Override
        public LeaseStore store(LeaseStore healthy, String url) {
            return new Late(healthy);
        }

        private static final class Late extends ForwardingStore {
            private final Map<Nonce, Long> called = new ConcurrentHashMap<>();

            Late(LeaseStore healthy) {
                super(healthy);
            }

            @Override
            public AcquireResult acquire(AcquireRequest request) {
                long sent = System.nanoTime();
                called.put(request.nonce(), sent);
                AcquireResult result = store.acquire(request);
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
                return store.renew(leases).stream()
                        .map(renewal ->
                                new Renewal(renewal.lease(), renewal.remaining().plus(since(sent))))
                        .toList();
            }

            @Override
            public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
                return store.onWakeUp(wakeUp -> listener.accept(
                        wakeUp instanceof WakeUp.HandedOver handed && called.containsKey(wakeUp.nonce())
                                ? new WakeUp.HandedOver(
                                        handed.lease(),
                                        handed.waited(),
                                        handed.remaining().plus(since(called.get(wakeUp.nonce()))),
                                        handed.attempt())
                                : wakeUp));
            }

            private static Duration since(long then) {
                return Duration.ofNanos(System.nanoTime() - then);
            }
        }
    }

    /** In the calls: after a lost reply one goes on under another name. */
    static final class NewNonceOnRetry implements Sabotage {
        @Override
        public LeaseStore store(LeaseStore healthy, String url) {
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
