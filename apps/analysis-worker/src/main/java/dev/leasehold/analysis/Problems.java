package dev.leasehold.analysis;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers every error as {@code application/problem+json}. */
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
    private static final Duration STORE_DOWN_RETRY = Duration.ofSeconds(5);

    /** An error that is the answer to a request. */
    static ErrorResponseException of(HttpStatus status, String type, String detail) {
        return new ErrorResponseException(status, problem(status, type, detail), null);
    }

    static ErrorResponseException unauthorized() {
        ErrorResponseException error = of(
                HttpStatus.UNAUTHORIZED,
                "unauthorized",
                "Send the task token, or an identity token of the queue, as \"Authorization: Bearer ...\".");
        error.getHeaders().set(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        return error;
    }

    static ErrorResponseException unknown(String id) {
        return of(HttpStatus.NOT_FOUND, "not-found", "There is no analysis " + id + ".");
    }

    private static ProblemDetail problem(HttpStatusCode status, String type, String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setType(URI.create("urn:leasehold:problem:" + type));
        return problem;
    }

    @ExceptionHandler
    ResponseEntity<Object> stopping(RunningTasks.StoppingException e) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(HttpStatus.SERVICE_UNAVAILABLE, "stopping", String.valueOf(e.getMessage())));
    }

    @ExceptionHandler({LeaseException.class, StoreException.class, DataAccessException.class})
    ResponseEntity<Object> storeDown(RuntimeException e) {
        LOG.error("Answered 503 because the store failed: {}", e.getMessage());
        return send(HttpAnswer.storeDown(STORE_DOWN_RETRY));
    }

    /** The client vanished, or sends too slowly or what is not HTTP: nothing that the operator can mend. */
    @ExceptionHandler
    ResponseEntity<Object> unread(IOException e) {
        LOG.debug("A request could not be read, or its answer not be sent: {}", e.toString());
        HttpStatus status = e instanceof SocketTimeoutException ? HttpStatus.REQUEST_TIMEOUT : HttpStatus.BAD_REQUEST;
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(status, "unread", "The body of the request did not arrive as a whole."));
    }

    @ExceptionHandler
    ResponseEntity<Object> anyOther(Exception e) {
        LOG.error("A request failed", e);
        String detail = "The request failed. It may be sent again; the log says why.";
        return ResponseEntity.internalServerError()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(HttpStatus.INTERNAL_SERVER_ERROR, "failed", detail));
    }

    /** An answer of the library, as Spring sends it. */
    static ResponseEntity<Object> send(HttpAnswer answer) {
        ResponseEntity.BodyBuilder response =
                ResponseEntity.status(answer.status()).contentType(MediaType.parseMediaType(answer.jsonType()));
        answer.headers().forEach(response::header);
        @Nullable String body = answer.json().orElse(null);
        return response.body(body);
    }
}
