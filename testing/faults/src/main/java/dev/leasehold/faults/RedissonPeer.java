package dev.leasehold.faults;

import java.util.Optional;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock, which its watchdog renews every third of the TTL. It is asked as often whether it is still held. */
final class RedissonPeer implements Peer {
    private static final int CONNECTIONS = 3;

    private final RedissonClient client;

    RedissonPeer(String url) {
        Config config = new Config();
        config.setLockWatchdogTimeout(Shift.TTL.toMillis());
        config.useSingleServer()
                .setAddress(url.substring(0, url.indexOf('?')))
                .setConnectionMinimumIdleSize(CONNECTIONS)
                .setConnectionPoolSize(CONNECTIONS);
        this.client = Redisson.create(config);
    }

    @Override
    public Optional<Hold> tryAcquire(String key) {
        RLock lock = client.getLock(key);
        return lock.tryLock() ? Optional.of(new Held(lock)) : Optional.empty();
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private record Held(RLock lock) implements Hold {
        @Override
        public boolean renew() {
            return lock.isHeldByCurrentThread();
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }
}
