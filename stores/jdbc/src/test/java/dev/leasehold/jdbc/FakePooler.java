package dev.leasehold.jdbc;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Passes connections on to PostgreSQL and makes up the process id that the server names at their start, as a pooler does.
 * Keeps what clients say.
 */
final class FakePooler implements AutoCloseable {
    private static final int BACKEND_KEY_DATA = 'K';

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    private FakePooler(ServerSocket listener, InetSocketAddress target) {
        this.listener = listener;
        this.target = target;
    }

    static FakePooler to(InetSocketAddress target) throws IOException {
        FakePooler pooler = new FakePooler(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), target);
        start(pooler::accept);
        return pooler;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** All that clients have sent so far. */
    String said() {
        return String.join("\n", said);
    }

    private interface Relay {
        void run() throws IOException;
    }

    private static void start(Relay relay) {
        Thread thread = new Thread(
                () -> {
                    try {
                        relay.run();
                    } catch (IOException e) {
                        // Closed by either side.
                    }
                },
                "fake-pooler");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            Socket server = new Socket(target.getAddress(), target.getPort());
            for (Socket socket : new Socket[] {client, server}) {
                socket.setTcpNoDelay(true);
                sockets.add(socket);
            }
            start(() -> relay(client.getInputStream(), server, true));
            start(() -> {
                disguise(new DataInputStream(server.getInputStream()), new DataOutputStream(client.getOutputStream()));
                relay(server.getInputStream(), client, false);
            });
        }
    }

    private void relay(InputStream in, Socket to, boolean isClient) throws IOException {
        byte[] buffer = new byte[65_536];
        OutputStream out = to.getOutputStream();
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            if (isClient) {
                said.add(new String(buffer, 0, count, StandardCharsets.UTF_8));
            }
            out.write(buffer, 0, count);
        }
        to.close();
    }

    /** Passes on the server's messages up to the one that names its process, with another number in it. */
    private static void disguise(DataInputStream server, DataOutputStream client) throws IOException {
        int type;
        do {
            type = server.readUnsignedByte();
            int length = server.readInt();
            byte[] body = server.readNBytes(length - Integer.BYTES);
            if (type == BACKEND_KEY_DATA) {
                body[0] ^= 0x40;
            }
            client.writeByte(type);
            client.writeInt(length);
            client.write(body);
            client.flush();
        } while (type != BACKEND_KEY_DATA);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
