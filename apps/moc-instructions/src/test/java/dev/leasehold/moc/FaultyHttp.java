package dev.leasehold.moc;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Stands between the application and a server that is reached by HTTP. Knows each request, and does to it what the test
 * says. One request a connection.
 */
final class FaultyHttp implements AutoCloseable {
    /** What becomes of a request. */
    enum Fate {
        PASS,
        /** It takes a second longer. */
        SLOW,
        /** The server does not see it, and the answer is 503. */
        FAIL,
        /** The server does not see it, and there is no answer. */
        CUT,
        /** The server does it, and there is no answer. */
        LOSE_REPLY,
        /** It waits before the server sees it, until the test lets it go on. */
        HOLD,
        /** The server does it; its answer waits until the test lets it go on. */
        HOLD_REPLY
    }

    /** A request, as its first line has it. */
    record Request(String method, String path) {
        boolean is(String expectedMethod, String part) {
            return (method.equals(expectedMethod) || expectedMethod.isEmpty()) && path.contains(part);
        }
    }

    private static final long SLOW_MILLIS = 1_000;
    private static final byte[] UNAVAILABLE =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final URI target;
    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Semaphore held = new Semaphore(0);
    private final Semaphore open = new Semaphore(0, true);
    private volatile Function<Request, Fate> judge = request -> Fate.PASS;

    FaultyHttp(URI target) {
        this.target = target;
        try {
            this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    /** From now on this decides; may be called by many threads at once. */
    void judge(Function<Request, Fate> judgement) {
        judge = judgement;
    }

    void heal() {
        judge = request -> Fate.PASS;
    }

    /** The requests so far that came to the server, with this method, or any if it is empty, and this in their path. */
    List<Request> requests(String method, String part) {
        return requests.stream().filter(request -> request.is(method, part)).toList();
    }

    /** Waits until a request is held. */
    void awaitHeld() throws InterruptedException {
        if (!held.tryAcquire(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("No request is held.");
        }
    }

    void letGo() {
        open.release();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                threads.execute(() -> serve(client));
            } catch (IOException e) {
                return; // Closed.
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket upstream = new Socket()) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            List<String> head = head(in);
            if (head.isEmpty()) {
                return;
            }
            String[] first = head.get(0).split(" ", -1);
            Request request = new Request(first[0], first[1]);
            byte[] body = body(in, head, client.getOutputStream());
            Fate fate = judge.apply(request);
            if (fate == Fate.FAIL) {
                client.getOutputStream().write(UNAVAILABLE);
            }
            if (fate == Fate.FAIL || fate == Fate.CUT) {
                return;
            }
            if (fate == Fate.SLOW) {
                Thread.sleep(SLOW_MILLIS);
            }
            if (fate == Fate.HOLD) {
                hold();
            }
            requests.add(request);
            upstream.connect(new java.net.InetSocketAddress(target.getHost(), target.getPort()));
            upstream.getOutputStream().write(forwarded(head, body));
            byte[] reply = upstream.getInputStream().readAllBytes();
            if (fate == Fate.HOLD_REPLY) {
                hold();
            }
            if (fate != Fate.LOSE_REPLY) {
                client.getOutputStream().write(reply);
            }
        } catch (IOException | InterruptedException e) {
            return; // The client or the server is gone: each learns of it by its socket.
        }
    }

    private void hold() throws InterruptedException {
        held.release();
        open.acquire();
    }

    private static List<String> head(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int last = 0;
        while (last != 0x0d0a0d0a) {
            int next = in.read();
            if (next < 0) {
                return List.of();
            }
            bytes.write(next);
            last = last << 8 | next;
        }
        return bytes.toString(StandardCharsets.ISO_8859_1).strip().lines().toList();
    }

    private static String header(List<String> head, String name) {
        return head.stream()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static byte[] body(InputStream in, List<String> head, OutputStream out) throws IOException {
        if (!header(head, "expect").isEmpty()) {
            out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        if (!header(head, "transfer-encoding").isEmpty()) {
            throw new IOException("This proxy knows no chunks.");
        }
        String length = header(head, "content-length");
        byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
        if (!length.isEmpty() && body.length < Integer.parseInt(length)) {
            throw new EOFException();
        }
        return body;
    }

    private static byte[] forwarded(List<String> head, byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String line : head) {
            String lower = line.toLowerCase(Locale.ROOT);
            if (!lower.startsWith("connection:") && !lower.startsWith("expect:") && !lower.startsWith("upgrade:")) {
                bytes.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        bytes.write("Connection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        bytes.write(body);
        return bytes.toByteArray();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
