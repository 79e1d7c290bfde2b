package dev.leasehold.jdbc;

import dev.leasehold.tck.proxy.FaultProxy;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** JDBC URLs that lead through something else on this machine. */
final class Through {
    private static final Pattern HOST = Pattern.compile("//([^:/]+):(\\d+)/");

    private Through() {}

    /** Where a URL leads to. */
    static InetSocketAddress target(String url) {
        Matcher host = HOST.matcher(url);
        if (!host.find()) {
            throw new IllegalArgumentException("No host and port in " + url);
        }
        return new InetSocketAddress(host.group(1), Integer.parseInt(host.group(2)));
    }

    /** The same database, reached by this port of the loopback interface. */
    static String port(String url, int port) {
        return HOST.matcher(url).replaceFirst("//127.0.0.1:" + port + "/");
    }

    /** A proxy in front of a database. */
    static FaultProxy proxy(TestDatabase database) {
        return FaultProxy.to(target(database.url()), 1);
    }
}
