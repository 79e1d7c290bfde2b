package dev.leasehold.moc;

import dev.leasehold.once.Outcome;
import jakarta.servlet.http.HttpServletRequest;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What the log is told of one request. Every line has the request's id, the owner's, the MOC's, whether the request changed
 * nothing, and the status; no line has a title, a file's name or another thing that a user wrote. For one thread.
 */
final class FinalizeLog {
    private static final Logger LOG = LoggerFactory.getLogger(FinalizeLog.class);
    private static final String ATTRIBUTE = FinalizeLog.class.getName();

    private final String requestId;
    private String ownerId = "";
    private String mocId = "";

    private FinalizeLog(String requestId) {
        this.requestId = requestId;
    }

    static void begin(HttpServletRequest request, String requestId) {
        request.setAttribute(ATTRIBUTE, new FinalizeLog(requestId));
    }

    /** That of this request. */
    static FinalizeLog of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof FinalizeLog log ? log : new FinalizeLog("");
    }

    /** Whose request this is, and about what. */
    FinalizeLog about(String owner, UUID moc) {
        ownerId = owner;
        mocId = moc.toString();
        return this;
    }

    void created() {
        line(LOG.atInfo(), false, "open").log("moc created");
    }

    /** Tells what became of a call to finalize that went well. */
    void ended(Outcome<Moc> outcome) {
        if (outcome instanceof Outcome.Ran<Moc>) {
            line(LOG.atInfo(), false, "finalized").log("moc finalized");
        } else if (outcome instanceof Outcome.Replayed<Moc>) {
            line(LOG.atInfo(), true, "finalized").log("moc was finalized before");
        } else if (outcome instanceof Outcome.InProgress<Moc>) {
            line(LOG.atInfo(), true, "finalizing").log("moc is being finalized by another request");
        }
    }

    /** The request asks for what cannot be: a conflict, or something that the client has to change first. */
    void refused(int httpStatus, String reason) {
        LoggingEventBuilder line = httpStatus == 409 ? LOG.atWarn() : LOG.atInfo();
        line(line, false, reason).addKeyValue("httpStatus", httpStatus).log("request refused");
    }

    /** Something went wrong that is not the client's fault. */
    void failed(int httpStatus, String reason, @Nullable Throwable error) {
        LoggingEventBuilder line = line(LOG.atError(), false, reason).addKeyValue("httpStatus", httpStatus);
        if (error != null) {
            line = line.setCause(new Trace(error));
        }
        line.log("request failed");
    }

    private LoggingEventBuilder line(LoggingEventBuilder line, boolean isIdempotent, String status) {
        return line.addKeyValue("requestId", requestId)
                .addKeyValue("ownerId", ownerId)
                .addKeyValue("mocId", mocId)
                .addKeyValue("idempotent", isIdempotent)
                .addKeyValue("status", status);
    }

    /** An error without its messages, in which a database repeats what a user wrote. */
    private static final class Trace extends Exception {
        private static final long serialVersionUID = 1L;
        private static final int DEEPEST = 8;

        Trace(Throwable error) {
            this(error, 1);
        }

        private Trace(Throwable error, int depth) {
            super(
                    error.getClass().getName()
                            + (error instanceof SQLException sql ? ", SQLSTATE " + sql.getSQLState() : ""),
                    error.getCause() == null || depth == DEEPEST ? null : new Trace(error.getCause(), depth + 1));
            setStackTrace(error.getStackTrace());
        }
    }
}
