package dev.leasehold.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports for servers. */
final class Ports {
    /**
     * Below what Linux gives to outgoing connections, even with the 10,000 that Redis adds for its cluster: so a port
     * stays free while its server is down.
     */
    private static final int FIRST = 12_000;

    private static final int END = 22_000;

    private Ports() {}

    static int free() {
        for (int tried = 0; tried < 1_000; tried++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("No free port between " + FIRST + " and " + END + ".");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
