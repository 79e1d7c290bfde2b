package dev.leasehold.spring.http;

import dev.leasehold.once.http.Reply;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keeps the body back until the run has ended. Status and headers pass through; nothing is sent. */
final class CapturedResponse extends HttpServletResponseWrapper {
    private final int mostBytes;
    private final Output output = new Output();
    private @Nullable PrintWriter writer;

    CapturedResponse(HttpServletResponse response, int mostBytes) {
        super(response);
        this.mostBytes = mostBytes;
    }

    /**
     * What was written.
     *
     * @throws BodyTooLargeException if that was more than is kept
     */
    Reply reply(Set<String> keptHeaders) throws BodyTooLargeException {
        if (writer != null) {
            writer.flush();
        }
        if (output.isTooLarge) {
            throw new BodyTooLargeException("The reply", mostBytes);
        }
        Map<String, List<String>> headers = new HashMap<>();
        getHeaderNames().forEach(name -> headers.put(name, new ArrayList<>(getHeaders(name))));
        headers.keySet().removeIf("content-type"::equalsIgnoreCase);
        String type = getContentType();
        if (type != null) {
            headers.put("content-type", List.of(type));
        }
        return Reply.of(getStatus(), headers, output.bytes.toByteArray(), keptHeaders);
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return output;
    }

    @Override
    public PrintWriter getWriter() {
        if (writer == null) {
            writer = new PrintWriter(new OutputStreamWriter(output, Charset.forName(getCharacterEncoding())));
        }
        return writer;
    }

    @Override
    public void flushBuffer() {
        if (writer != null) {
            writer.flush();
        }
    }

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        if (writer != null) {
            writer.flush();
        }
        output.bytes.reset();
        output.isTooLarge = false;
    }

    @Override
    public void reset() {
        super.reset();
        resetBuffer();
    }

    /** The server's page for this error is not kept: the reply is the status alone. */
    @Override
    public void sendError(int status) {
        resetBuffer();
        setStatus(status);
    }

    @Override
    public void sendError(int status, String message) {
        sendError(status);
    }

    @Override
    public void sendRedirect(String location) {
        resetBuffer();
        setStatus(SC_FOUND);
        setHeader("Location", location);
    }

    /** The length is known only at the end. */
    @Override
    public void setContentLength(int length) {
        setContentLengthLong(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        if (length > mostBytes) {
            output.isTooLarge = true;
        }
    }

    @Override
    public void setHeader(String name, String value) {
        if (!"content-length".equalsIgnoreCase(name)) {
            super.setHeader(name, value);
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (!"content-length".equalsIgnoreCase(name)) {
            super.addHeader(name, value);
        }
    }

    /** Takes no more than is kept; the rest is not stored, and the reply is refused at the end. */
    private final class Output extends ServletOutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean isTooLarge;

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int start, int length) {
            isTooLarge |= bytes.size() + (long) length > mostBytes;
            if (!isTooLarge) {
                bytes.write(source, start, length);
            }
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException("An idempotent request is not answered asynchronously.");
        }
    }
}
