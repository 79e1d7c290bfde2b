package dev.leasehold.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The little of Redis's protocol that starting and checking a server takes. */
final class RedisConnection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    private RedisConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    static RedisConnection open(String host, int port, int timeoutMillis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setSoTimeout(timeoutMillis);
            socket.connect(new InetSocketAddress(host, port), timeoutMillis);
            return new RedisConnection(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** From now on, waits this long for an answer. */
    void waitAtMost(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /**
     * The parts of the answer, however nested; nothing if it is nil.
     *
     * @throws IllegalStateException if the answer is an error
     */
    List<String> call(String... words) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(utf8("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = utf8(word);
            request.writeBytes(utf8("$" + bytes.length + "\r\n"));
            request.writeBytes(bytes);
            request.writeBytes(utf8("\r\n"));
        }
        request.writeTo(socket.getOutputStream());
        List<String> parts = new ArrayList<>();
        read(parts);
        return parts;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void read(List<String> parts) throws IOException {
        String line = line();
        String rest = line.substring(1);
        switch (line.charAt(0)) {
            case '+', ':' -> parts.add(rest);
            case '$' -> readText(Integer.parseInt(rest), parts);
            case '*' -> {
                for (int left = Integer.parseInt(rest); left > 0; left--) {
                    read(parts);
                }
            }
            default -> throw new IllegalStateException("Redis says: " + rest);
        }
    }

    private void readText(int length, List<String> parts) throws IOException {
        if (length >= 0) {
            byte[] bytes = in.readNBytes(length + 2);
            parts.add(new String(bytes, 0, length, StandardCharsets.UTF_8));
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("Redis closed the connection.");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
