package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.servers.Server;
import dev.leasehold.servers.Snapshot;
import dev.leasehold.tck.proxy.FaultProxy;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A Redis server of our own, with a proxy before it. */
final class RedisBed implements Bed {
    private final StoreKind kind;
    private final RedisServer server;
    private final FaultProxy proxy;

    RedisBed(StoreKind kind, RedisServer server, long seed) {
        this.kind = kind;
        this.server = server;
        this.proxy = FaultProxy.to(new InetSocketAddress(server.host(), server.port()), seed);
        createSchema();
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String url() {
        return "redis://:" + server.password() + "@" + server.host() + ":" + proxy.port();
    }

    @Override
    public String directUrl() {
        return server.url();
    }

    @Override
    public Optional<FaultProxy> proxy() {
        return Optional.of(proxy);
    }

    @Override
    public Optional<Server> server() {
        return Optional.of(server);
    }

    /** Not yet: whoever deletes by hand must know what the keys are called. */
    @Override
    public Optional<Records> records() {
        return Optional.empty();
    }

    @Override
    public Backup backUp() {
        Snapshot snapshot = server.snapshot();
        return () -> server.restore(snapshot);
    }

    @Override
    public void close() {
        proxy.close();
        server.close();
    }
}
