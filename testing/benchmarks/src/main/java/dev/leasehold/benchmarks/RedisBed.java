package dev.leasehold.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import redis.clients.jedis.Protocol.Command;

/** A database of a Redis server. */
final class RedisBed extends Bed {
    private static final int FILL_STEP = 10_000;

    final String host;
    final int port;
    final int database;

    /** At a URL such as {@code redis://:password@host:6379/1}. */
    RedisBed(String url) {
        this(URI.create(url), true);
    }

    private RedisBed(URI url, boolean isOurs) {
        super(StoreKind.REDIS, url.toString(), "", url.getUserInfo().substring(1), () -> {
            if (isOurs) {
                empty(url);
            }
        });
        this.host = url.getHost();
        this.port = url.getPort();
        this.database = Integer.parseInt(url.getPath().substring(1));
    }

    static RedisBed of(Bed bed) {
        return (RedisBed) bed;
    }

    private static void empty(URI url) {
        try (RedisCalls calls = new RedisCalls(new RedisBed(url, false))) {
            calls.run(Command.FLUSHDB);
        }
    }

    /** The contestant's script makes the record of a number {@code i}. */
    @Override
    void fill(Contestant.Grows contestant, int records) {
        try (RedisCalls calls = new RedisCalls(this)) {
            RedisCalls.Script fill =
                    calls.load("for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do " + contestant.fill(store) + " end");
            for (int from = 0; from < records; from += FILL_STEP) {
                int to = Math.min(records, from + FILL_STEP) - 1;
                calls.run(fill, List.of(), Integer.toString(from), Integer.toString(to));
            }
        }
    }

    private record Way(Bed bed, CountingProxy proxy) implements CountedWay {
        @Override
        public long count() {
            return proxy.count();
        }

        @Override
        public double cpuMillis() {
            return proxy.cpuMillis();
        }

        @Override
        public void close() {
            proxy.close();
        }
    }

    @Override
    CountedWay counted() throws IOException {
        CountingProxy proxy = CountingProxy.to(host, port);
        URI url = URI.create("redis://:" + password + "@" + host + ":" + proxy.port() + "/" + database);
        return new Way(new RedisBed(url, false), proxy);
    }
}
