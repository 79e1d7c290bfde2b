package dev.leasehold.tck.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A real server on loopback that sends back what it gets and remembers it, connection by connection. */
final class EchoServer implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Peer> peers = new CopyOnWriteArrayList<>();

    EchoServer() throws IOException {
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    int connections() {
        return peers.size();
    }

    /** What it got on its n-th connection, counted from 1. */
    String received(int connection) {
        return peers.size() < connection
                ? ""
                : peers.get(connection - 1).received.toString(StandardCharsets.UTF_8);
    }

    /** How its n-th connection ended: "open", "end of stream" or what the socket said. */
    String ending(int connection) {
        return peers.get(connection - 1).ending;
    }

    private void accept() {
        try {
            while (true) {
                Peer peer = new Peer(listener.accept());
                peers.add(peer);
                start(peer::echo);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "echo-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Peer peer : peers) {
            peer.socket.close();
        }
    }

    private static final class Peer {
        private final Socket socket;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private volatile String ending = "open";

        Peer(Socket socket) {
            this.socket = socket;
        }

        void echo() {
            try (socket) {
                byte[] buffer = new byte[8192];
                int length;
                while ((length = socket.getInputStream().read(buffer)) >= 0) {
                    received.write(buffer, 0, length);
                    socket.getOutputStream().write(buffer, 0, length);
                }
                ending = "end of stream";
            } catch (IOException e) {
                ending = String.valueOf(e.getMessage());
            }
        }
    }
}
