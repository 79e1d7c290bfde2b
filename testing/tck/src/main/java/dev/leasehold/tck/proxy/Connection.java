package dev.leasehold.tck.proxy;

import static dev.leasehold.tck.proxy.Fault.Replay.Via.SAME_CONNECTION;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One client's connection and the one to the server that belongs to it, with a {@link Pump} each way. */
final class Connection implements Closeable {
    private static final int CONNECT_MILLIS = 10_000;
    private static final int ANSWER_MILLIS = 5_000;
    private static final int READ_BYTES = 1_024;

    private final int number;
    private final Socket client;
    private final Socket server = new Socket();
    private final FaultPlan plan;
    private final Resources resources;
    private final AtomicInteger streams = new AtomicInteger(2);
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile @Nullable Injection replyThief;
    private volatile @Nullable Injection freeze;

    Connection(int number, Socket client, FaultPlan plan, Resources resources) {
        this.number = number;
        this.client = client;
        this.plan = plan;
        this.resources = resources;
    }

    /** Connects to the server and pumps until the connection is over; the calling thread is the pump of requests. */
    void run(InetSocketAddress target) {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
        } catch (IOException e) {
            close();
            return;
        }
        Pump replies = new Pump(this, Direction.TO_CLIENT, server, client, plan);
        Pump requests = new Pump(this, Direction.TO_SERVER, client, server, plan);
        resources.start(Thread.currentThread().getName() + "-replies", replies);
        requests.run();
    }

    int number() {
        return number;
    }

    boolean isOver() {
        return over.get();
    }

    /** Swallow the next reply, whatever it is, on behalf of this injection. */
    void loseReply(Injection thief) {
        replyThief = thief;
    }

    /** Nothing passes any more until this injection is lifted. */
    void freeze(Injection by) {
        freeze = by;
    }

    @Nullable
    Injection freeze() {
        return freeze;
    }

    @Nullable
    Injection replyThief() {
        Injection thief = replyThief;
        return thief == null || thief.isLifted() ? null : thief;
    }

    /** Chunks and late copies of chunks never mix. */
    static void write(Socket sink, byte[] chunk, int length) throws IOException {
        OutputStream out = sink.getOutputStream();
        synchronized (sink) {
            out.write(chunk, 0, length);
        }
    }

    /** Sends the server a copy of the request, now or late. */
    void replay(Injection injection, byte[] request, long offset) {
        if (!(injection.fault() instanceof Fault.Replay replay)) {
            throw new IllegalArgumentException("not a replay: " + injection.fault());
        }
        Runnable copy = () -> sendCopy(injection, replay, request, offset);
        if (replay.via() == SAME_CONNECTION && replay.late().isZero()) {
            copy.run();
        } else {
            resources.start(Thread.currentThread().getName() + "-copy", copy);
        }
    }

    private void sendCopy(Injection injection, Fault.Replay replay, byte[] request, long offset) {
        try {
            plan.await(() -> injection.isLifted() || resources.isClosed(), replay.late());
            if (replay.via() == SAME_CONNECTION) {
                write(server, request, request.length);
            } else {
                sendAlone(replay.greeting().getBytes(StandardCharsets.UTF_8), request);
            }
            plan.fired(injection, number, Direction.TO_SERVER, offset);
        } catch (IOException e) {
            // The server or the connection is gone, and the copy with it: it has not fired.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendAlone(byte[] greeting, byte[] request) throws IOException {
        try (Socket socket = new Socket()) {
            resources.add(socket);
            try {
                socket.connect(server.getRemoteSocketAddress(), CONNECT_MILLIS);
                socket.setSoTimeout(ANSWER_MILLIS);
                if (greeting.length > 0) {
                    write(socket, greeting, greeting.length);
                    socket.getInputStream().read(new byte[READ_BYTES]);
                }
                write(socket, request, request.length);
                socket.getInputStream().read();
            } finally {
                resources.remove(socket);
            }
        }
    }

    /** One direction has ended in good order; the second one closes the connection. */
    void streamEnded() {
        if (streams.decrementAndGet() == 0 && over.compareAndSet(false, true)) {
            Resources.closeQuietly(client);
            Resources.closeQuietly(server);
            forget();
        }
    }

    /** Resets both sides. */
    @Override
    public void close() {
        if (over.compareAndSet(false, true)) {
            reset(client);
            reset(server);
            forget();
        }
    }

    private void forget() {
        resources.remove(this);
        plan.wake();
    }

    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // The other end was quicker; there is nobody left to reset.
        }
        Resources.closeQuietly(socket);
    }
}
