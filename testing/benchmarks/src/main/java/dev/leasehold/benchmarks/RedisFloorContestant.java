package dev.leasehold.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The floor on Redis: hand-written scripts, called by Jedis on a connection per thread. */
final class RedisFloorContestant implements Contestant.Grows, Contestant.KeepsMany, Contestant.Queues {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.REDIS;
    }

    @Override
    public String fill(StoreKind store) {
        return "redis.call('HSET', '" + RedisFloor.PREFIX + KeySpace.PREFIX
                + "' .. i, 'nonce', '', 'fence', '1', 'exp', '0')";
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return new Node<>(() -> new Locker(RedisBed.of(bed), cell));
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return new Node<>(() -> new FloorKeeper(new Renewals(RedisBed.of(bed), cell), cell));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return new Node<>(() -> new RedisLine(RedisBed.of(bed), cell));
    }

    @Override
    public Node<Worker.Waiter> queueing(Bed bed, Cell cell) {
        return LocalLine.node(new Locker(RedisBed.of(bed), cell));
    }

    static String micros(Cell cell) {
        return Long.toString(TimeUnit.SECONDS.toMicros(cell.ttl().toSeconds()));
    }

    private static final class Locker implements Worker.Locker {
        private final RedisCalls calls;
        private final RedisCalls.Script acquire;
        private final RedisCalls.Script release;
        private final String ttl;

        Locker(RedisBed bed, Cell cell) {
            this.calls = new RedisCalls(bed);
            this.acquire = calls.load(RedisFloor.ACQUIRE);
            this.release = calls.load(RedisFloor.RELEASE);
            this.ttl = micros(cell);
        }

        @Override
        public Optional<Worker.Hold> tryAcquire(String key) {
            String nonce = Nonces.fresh();
            List<String> place = RedisFloor.at(key);
            return calls.run(acquire, place, nonce, ttl) == null
                    ? Optional.empty()
                    : Optional.of(() -> calls.run(release, place, nonce));
        }

        @Override
        public void close() {
            calls.close();
        }
    }

    /** All scripts of one renewal go in one trip. */
    private static final class Renewals implements FloorKeeper.Renewals {
        private static final int KEYS_TO_A_SCRIPT = 500;

        private final RedisCalls calls;
        private final RedisCalls.Script acquire;
        private final RedisCalls.Script renew;
        private final String ttl;
        private final String nonce = Nonces.fresh();

        Renewals(RedisBed bed, Cell cell) {
            this.calls = new RedisCalls(bed);
            this.acquire = calls.load(RedisFloor.ACQUIRE);
            this.renew = calls.load(RedisFloor.RENEW);
            this.ttl = micros(cell);
        }

        @Override
        public void take(List<String> keys) {
            for (String key : keys) {
                calls.run(acquire, RedisFloor.at(key), nonce, ttl);
            }
        }

        @Override
        public int renew(List<String> keys) {
            int scripts = 0;
            for (int from = 0; from < keys.size(); from += KEYS_TO_A_SCRIPT) {
                List<String> some = keys.subList(from, Math.min(keys.size(), from + KEYS_TO_A_SCRIPT)).stream()
                        .map(RedisFloor.PREFIX::concat)
                        .toList();
                calls.send(renew, some, nonce, ttl);
                scripts++;
            }
            return calls.read(scripts).stream()
                    .mapToInt(answer -> ((Long) answer).intValue())
                    .sum();
        }

        @Override
        public void close() {
            calls.close();
        }
    }
}
