package dev.leasehold.analysis;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Answers what the web server refuses itself, such as a malformed path, a broken chunk or the method TRACE, as
 * {@code problem+json}. Spring's own page for errors is left out of the configuration, so that all of these come here.
 */
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
