package dev.leasehold.faults;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.Server;
import dev.leasehold.servers.Snapshot;
import dev.leasehold.servers.SqlServer;
import dev.leasehold.tck.proxy.FaultProxy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.util.Optional;

/** A database server of our own, with a proxy before it. */
final class SqlServerBed implements Bed {
    private final StoreKind kind;
    private final SqlServer server;
    private final URI target;
    private final String credentials;
    private final FaultProxy proxy;

    SqlServerBed(StoreKind kind, SqlServer server, long seed) {
        this.kind = kind;
        this.server = server;
        Database database = server.freshDatabase();
        this.target = URI.create(database.url().substring("jdbc:".length()));
        this.credentials = "?user=" + encoded(database.user()) + "&password=" + encoded(database.password());
        this.proxy = FaultProxy.to(new InetSocketAddress(target.getHost(), target.getPort()), seed);
        createSchema();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String url(int worker) {
        return at(Crew.isSpared(worker) ? target.getPort() : proxy.port());
    }

    @Override
    public String directUrl() {
        return at(target.getPort());
    }

    private String at(int port) {
        return "jdbc:" + target.getScheme() + "://" + target.getHost() + ":" + port + target.getPath() + credentials;
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
    public Records records() {
        return new SqlRecords(directUrl());
    }

    @Override
    public Optional<StoreClock> clock() {
        return Optional.of(new ServerClock(server));
    }

    @Override
    public Optional<SqlRecords> table() {
        return Optional.of(new SqlRecords(directUrl()));
    }

    @Override
    public Optional<Crowd> crowd() {
        return Optional.of(new Crowd(() -> DriverManager.getConnection(directUrl())));
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
