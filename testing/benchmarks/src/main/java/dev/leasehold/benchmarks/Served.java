package dev.leasehold.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP client of a web application, with a connection of its own that stays open. When the server closes it, which
 * Tomcat does after a hundred requests, the client opens the next. It reads no more of an answer than it needs: what it
 * costs slows all contestants alike.
 */
final class Served implements Worker.Runner {
    private static final int ANSWER_SIZE = 4_096;

    private final int port;
    private final byte[] answer = new byte[ANSWER_SIZE];
    private @Nullable Socket socket;

    /** Connects to the application on this port of this machine. */
    Served(int port) throws IOException {
        this.port = port;
        this.socket = connect();
    }

    private Socket connect() throws IOException {
        Socket opened = new Socket(InetAddress.getLoopbackAddress(), port);
        opened.setTcpNoDelay(true);
        return opened;
    }

    /** Returns the key if the application says that this analysis is finished, otherwise the whole answer. */
    @Override
    public String once(String key) throws IOException {
        String text = answer(request(key));
        boolean isFinished = text.startsWith("HTTP/1.1 200") && text.contains("already_finished");
        if (!isFinished || text.toLowerCase(Locale.ROOT).contains("\r\nconnection: close\r\n")) {
            close();
        }
        return isFinished ? key : text;
    }

    private static byte[] request(String key) {
        String body = "{\"analysisId\":\"" + key + "\"}";
        return ("POST /internal/tasks/analysis HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private String answer(byte[] request) throws IOException {
        Socket open = socket;
        if (open != null) {
            try {
                return answer(open, request);
            } catch (IOException e) {
                // The server closed the connection between two turns. A finished analysis can be asked for again.
                close();
            }
        }
        Socket fresh = connect();
        socket = fresh;
        return answer(fresh, request);
    }

    private String answer(Socket open, byte[] request) throws IOException {
        OutputStream out = open.getOutputStream();
        InputStream in = open.getInputStream();
        out.write(request);
        String text = "";
        for (int length = 0; length < answer.length && !isWhole(text); ) {
            int read = in.read(answer, length, answer.length - length);
            if (read < 0) {
                throw new EOFException("The application closed the connection after: " + text);
            }
            length += read;
            text = new String(answer, 0, length, StandardCharsets.ISO_8859_1);
        }
        return text;
    }

    /** The body is one flat JSON object, sent with its length or in chunks. */
    private static boolean isWhole(String text) {
        int body = text.indexOf("\r\n\r\n");
        return body >= 0 && (text.contains("chunked") ? text.endsWith("\r\n0\r\n\r\n") : text.indexOf('}', body) >= 0);
    }

    @Override
    public void close() {
        Socket open = socket;
        socket = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
