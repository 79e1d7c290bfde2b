package dev.leasehold.moc;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/** Answers what the web server refuses before Spring sees it, such as a malformed path, as {@code problem+json}. */
public final class ProblemValve extends ErrorReportValve {
    @Override
    protected void report(Request request, Response response, @Nullable Throwable error) {
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        try {
            response.setContentType("application/problem+json");
            response.getReporter()
                    .write("{\"type\":\"about:blank\",\"status\":" + status
                            + ",\"detail\":\"The request is malformed, or was refused.\"}");
            response.finishResponse();
        } catch (IOException | IllegalStateException e) {
            return; // The client is gone, or was answered.
        }
    }
}
