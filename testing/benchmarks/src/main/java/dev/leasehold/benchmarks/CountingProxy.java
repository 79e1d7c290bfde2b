package dev.leasehold.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Stands between clients and a Redis server, and counts the commands that pass. Safe for use by many threads. */
final class CountingProxy implements AutoCloseable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int BUFFER = 65_536;
    private static final int BACKLOG = 256;

    private final ServerSocket door;
    private final String host;
    private final int serverPort;
    private final LongAdder commands = new LongAdder();
    private final LongAdder finishedNanos = new LongAdder();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    private CountingProxy(ServerSocket door, String host, int serverPort) {
        this.door = door;
        this.host = host;
        this.serverPort = serverPort;
    }

    static CountingProxy to(String host, int port) throws IOException {
        ServerSocket door = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        CountingProxy proxy = new CountingProxy(door, host, port);
        proxy.start(proxy::accept);
        return proxy;
    }

    int port() {
        return door.getLocalPort();
    }

    long count() {
        return commands.sum();
    }

    /** What its threads have used. */
    double cpuMillis() {
        long nanos = finishedNanos.sum();
        for (Thread thread : threads) {
            nanos += Math.max(0, THREADS.getThreadCpuTime(thread.getId()));
        }
        return nanos / 1e6;
    }

    /** Work that ends when its sockets are closed. */
    private interface Passing {
        void run() throws IOException;
    }

    private void start(Passing work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // One of the two has gone, and so does the other.
                    } finally {
                        finishedNanos.add(THREADS.getCurrentThreadCpuTime());
                        threads.remove(Thread.currentThread());
                    }
                },
                "counting-proxy");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = door.accept();
            Socket server = new Socket(host, serverPort);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            CommandCount counting = new CommandCount(commands);
            start(() -> pass(client, server, counting::read));
            start(() -> pass(server, client, (bytes, length) -> {}));
        }
    }

    /** Sees what passes. */
    private interface Watch {
        void see(byte[] bytes, int length);
    }

    private static void pass(Socket from, Socket to, Watch watch) throws IOException {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                watch.see(buffer, length);
                out.write(buffer, 0, length);
            }
        }
    }

    @Override
    public void close() {
        try {
            door.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
