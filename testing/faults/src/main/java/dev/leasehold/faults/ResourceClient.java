package dev.leasehold.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A worker's way to the {@link FencedResource}. Not safe for use by several threads. */
final class ResourceClient implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader replies;

    ResourceClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Whether the write was accepted. */
    boolean write(String client, String key, long fence) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write((client + " " + key + " " + fence + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
        return FencedResource.ACCEPTED.equals(replies.readLine());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
