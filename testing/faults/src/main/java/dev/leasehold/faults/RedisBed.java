package dev.leasehold.faults;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.servers.Server;
import dev.leasehold.tck.proxy.FaultProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A Redis server of our own, with a proxy before it. Another server takes its place when a backup is put back. */
final class RedisBed implements Bed {
    private static final int ANSWER_MILLIS = 5_000;

    private final Config config;
    private RedisServer server;
    private final FaultProxy proxy;
    /** Without faults; it leads to wherever the server is. */
    private final FaultProxy detour;

    RedisBed(Config config, long seed) {
        this.config = config;
        this.server = RedisServer.start(config);
        this.proxy = FaultProxy.to(address(server), seed);
        this.detour = FaultProxy.to(address(server), seed);
    }

    private static InetSocketAddress address(RedisServer server) {
        return new InetSocketAddress(server.host(), server.port());
    }

    @Override
    public StoreKind kind() {
        return StoreKind.REDIS;
    }

    @Override
    public String url(int worker) {
        return at(Crew.isSpared(worker) ? detour.port() : proxy.port());
    }

    @Override
    public String directUrl() {
        return at(server.port());
    }

    private String at(int port) {
        return "redis://:" + server.password() + "@" + server.host() + ":" + port + "?accept=lost-writes";
    }

    @Override
    public Optional<FaultProxy> proxy() {
        return Optional.of(proxy);
    }

    @Override
    public Optional<Server> server() {
        return Optional.of(server);
    }

    @Override
    public Optional<RedisServer> redis() {
        return Optional.of(server);
    }

    @Override
    public Records records() {
        return new RedisRecords(server);
    }

    @Override
    public Optional<StoreClock> clock() {
        return Optional.of(new ServerClock(server));
    }

    @Override
    public Optional<Crowd> crowd() {
        return Optional.of(new Crowd(this::stranger));
    }

    /** Redis answers everybody at least once, and by that says whether one may stay. */
    private Socket stranger() throws IOException {
        Socket socket = new Socket(server.host(), server.port());
        socket.setSoTimeout(ANSWER_MILLIS);
        socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.UTF_8));
        String answer = String.valueOf(
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).readLine());
        if (answer.startsWith("-NOAUTH")) {
            return socket;
        }
        socket.close();
        throw new IOException(answer);
    }

    /** A replica whose link is cut at once: it is promoted when it is put in the place of its master. */
    @Override
    public Backup backUp() {
        RedisServer replica = server.startReplica(config);
        replica.call("REPLICAOF", "NO", "ONE");
        return () -> {
            server.close();
            server = replica;
            for (FaultProxy way : List.of(proxy, detour)) {
                way.retarget(address(replica));
                way.resetAll();
            }
        };
    }

    @Override
    public void close() {
        proxy.close();
        detour.close();
        server.close();
    }
}
