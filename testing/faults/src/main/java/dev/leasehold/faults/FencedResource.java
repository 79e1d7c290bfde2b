package dev.leasehold.faults;

import dev.leasehold.lease.FenceGuard;
import dev.leasehold.store.Fence;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the workers' leases protect: a server that takes writes, each with a key and a fence, and refuses those with an
 * older fence than it has seen. It is reached past all faults. It writes down what it did, in the order in which it did.
 */
final class FencedResource implements AutoCloseable {
    static final String ACCEPTED = "accepted";
    private static final String STALE = "stale";

    private final ServerSocket listener;
    private volatile boolean isFenced = true;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, FenceGuard> guards = new HashMap<>();
    private History history = new History();

    FencedResource() {
        try {
            this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    /** Whether it does what it is there for. */
    void compareFences(boolean does) {
        isFenced = does;
    }

    int port() {
        return listener.getLocalPort();
    }

    /** What was written since it was asked last. */
    synchronized History takeHistory() {
        History taken = history;
        history = new History();
        guards.clear();
        return taken;
    }

    private static void start(String role, Runnable task) {
        Thread thread = new Thread(task, "fenced-resource-" + role);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                start("client", () -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            OutputStream out = socket.getOutputStream();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                String reply = write(words[0], words[1], Long.parseLong(words[2])) ? ACCEPTED : STALE;
                out.write((reply + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The worker was killed.
        } finally {
            open.remove(socket);
        }
    }

    private synchronized boolean write(String client, String key, long fence) {
        FenceGuard guard = guards.computeIfAbsent(key, any -> new FenceGuard());
        boolean isAccepted = guard.admits(Fence.of(fence)) || !isFenced;
        Kind kind = isAccepted ? Kind.EFFECT : Kind.STALE_EFFECT;
        history.add(new HistoryEvent(System.nanoTime(), kind, client, key, "", fence, 0));
        return isAccepted;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
