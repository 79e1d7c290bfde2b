package dev.leasehold.moc;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.once.UnusableNameException;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.store.StoreException;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers every error as {@code application/problem+json}, and has it logged. */
@RestControllerAdvice
final class Problems extends ResponseEntityExceptionHandler {
    private static final String TYPE = "urn:leasehold:problem:";
    private static final String RETRY_SECONDS = "5";
    private static final String NO_SUCH_MOC = "You have no MOC with this id.";

    /** An error that is the answer to a request. */
    static ErrorResponseException of(HttpStatus status, String type, String detail) {
        return new ErrorResponseException(status, problem(status, type, detail), null);
    }

    /** Says the same of a MOC that is not there and of one that is another user's. */
    static ErrorResponseException unknown() {
        return of(HttpStatus.NOT_FOUND, "not-found", NO_SUCH_MOC);
    }

    private static ProblemDetail problem(HttpStatusCode status, String type, String detail) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
        problem.setType(URI.create(TYPE + type));
        return problem;
    }

    /** All errors of ours and of Spring's that say themselves how they are answered. */
    @Override
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception e, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String type = body instanceof ProblemDetail problem ? String.valueOf(problem.getType()) : "";
        String reason = type.startsWith(TYPE) ? type.substring(TYPE.length()) : "malformed";
        log(request).refused(status.value(), reason);
        return super.handleExceptionInternal(e, body, headers, status, request);
    }

    private static FinalizeLog log(WebRequest request) {
        return FinalizeLog.of(((ServletWebRequest) request).getRequest());
    }

    @ExceptionHandler
    ResponseEntity<Object> taken(MocRepository.TitleTakenException e, HttpServletRequest request) {
        return refused(
                request,
                HttpStatus.CONFLICT,
                "title-taken",
                "You already have a MOC with this title, or with one that differs in case, accents or punctuation only."
                        + " Choose another title, or go on with that MOC.");
    }

    @ExceptionHandler
    ResponseEntity<Object> unusable(UnusableNameException e, HttpServletRequest request) {
        return refused(request, HttpStatus.UNPROCESSABLE_CONTENT, "title-unusable", String.valueOf(e.getMessage()));
    }

    /** The row was deleted after its owner was checked. */
    @ExceptionHandler
    ResponseEntity<Object> deleted(RecordNotFoundException e, HttpServletRequest request) {
        return refused(request, HttpStatus.NOT_FOUND, "not-found", NO_SUCH_MOC);
    }

    private static ResponseEntity<Object> refused(
            HttpServletRequest request, HttpStatus status, String type, String detail) {
        FinalizeLog.of(request).refused(status.value(), type);
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(status, type, detail));
    }

    @ExceptionHandler
    ResponseEntity<Object> s3Down(ObjectStore.DownException e, HttpServletRequest request) {
        return down(request, "s3-down", "The files cannot be reached right now. Send the request again later.", e);
    }

    @ExceptionHandler
    ResponseEntity<Object> searchDown(SearchIndex.DownException e, HttpServletRequest request) {
        return down(request, "search-down", "Search cannot be reached right now. Send the request again later.", e);
    }

    @ExceptionHandler({
        LeaseException.class,
        StoreException.class,
        DataAccessResourceFailureException.class,
        CannotCreateTransactionException.class
    })
    ResponseEntity<Object> storeDown(RuntimeException e, HttpServletRequest request) {
        return down(request, "store-down", "This cannot be done right now. Send the request again later.", e);
    }

    private static ResponseEntity<Object> down(HttpServletRequest request, String type, String detail, Exception e) {
        FinalizeLog.of(request).failed(503, type, e);
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(problem(HttpStatus.SERVICE_UNAVAILABLE, type, detail));
    }

    @ExceptionHandler
    ResponseEntity<Object> anyOther(Exception e, HttpServletRequest request) {
        FinalizeLog.of(request).failed(500, "failed", e);
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
