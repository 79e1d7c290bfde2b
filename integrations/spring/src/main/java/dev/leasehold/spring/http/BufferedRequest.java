package dev.leasehold.spring.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** A request whose body was read, and can be read again by the controller. */
final class BufferedRequest extends HttpServletRequestWrapper {
    private final byte[] body;
    private final ServletInputStream input;

    private BufferedRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
        this.input = new Input(body);
    }

    /**
     * Reads the body.
     *
     * @throws BodyTooLargeException if it has more bytes than this
     */
    static BufferedRequest of(HttpServletRequest request, int mostBytes) throws IOException {
        if (request.getContentLengthLong() > mostBytes) {
            throw new BodyTooLargeException("The body", mostBytes);
        }
        byte[] body = request.getInputStream().readNBytes(mostBytes + 1);
        if (body.length > mostBytes) {
            throw new BodyTooLargeException("The body", mostBytes);
        }
        return new BufferedRequest(request, body);
    }

    byte[] body() {
        return body.clone();
    }

    @Override
    public ServletInputStream getInputStream() {
        return input;
    }

    @Override
    public BufferedReader getReader() {
        String name = getCharacterEncoding();
        Charset charset = name == null ? StandardCharsets.UTF_8 : Charset.forName(name);
        return new BufferedReader(new InputStreamReader(input, charset));
    }

    private static final class Input extends ServletInputStream {
        private final ByteArrayInputStream bytes;

        Input(byte[] body) {
            this.bytes = new ByteArrayInputStream(body);
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int start, int length) {
            return bytes.read(target, start, length);
        }

        @Override
        public boolean isFinished() {
            return bytes.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException("An idempotent request is not read asynchronously.");
        }
    }
}
