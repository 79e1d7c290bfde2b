package dev.leasehold.once.http;

import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.UnusableNameException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What to answer over HTTP. Has no body of its own unless {@link #json} has one: then it is either the work's reply that
 * is to be sent, or nothing.
 *
 * @param status the status to send
 * @param headers to be sent as well, besides those of the work's reply
 * @param sendsReply whether the body is what the work gave
 * @param value what the work gave, if it is to be sent; see {@link #reply} for one that brings its own headers
 * @param fields members of a JSON object: the body itself, or, with the work's reply, to be added to it
 * @param problem what is wrong
 * @param notice how loudly an operator should hear of it
 */
public record HttpAnswer(
        int status,
        Map<String, String> headers,
        boolean sendsReply,
        @Nullable Object value,
        Map<String, Object> fields,
        @Nullable Problem problem,
        Notice notice) {
    /** When to ask again, in whole seconds. */
    public static final String RETRY_AFTER = "Retry-After";

    /** On a reply that was kept from an earlier request: {@code true}. */
    public static final String IDEMPOTENT_REPLAYED = "Idempotent-Replayed";

    /** How loudly an operator should hear of an answer. */
    public enum Notice {
        /** All is well. */
        NONE,
        /** A line in the log. */
        WARNING,
        /** A line in the log that somebody should look at: a program does something wrong. */
        ERROR,
        /** Somebody has to do something. */
        ALERT
    }

    public HttpAnswer {
        headers = Map.copyOf(headers);
        fields = Map.copyOf(fields);
    }

    /** A name that somebody else has: 409, and when to try again if the other claim may still lapse. */
    public static HttpAnswer nameTaken(NameClaim.Taken taken) {
        String advice = taken.isPending()
                ? "Choose another one, or try again later: it is not certain yet that it will be used."
                : "Choose another one.";
        Problem problem = new Problem(
                Problem.NAME_TAKEN,
                "The name is taken.",
                "\"" + taken.name().text() + "\" is taken, or too much like one that is. " + advice);
        HttpAnswer answer = of(409, problem, Notice.WARNING);
        return taken.isPending() ? answer.retryingAfter(taken.remaining()) : answer;
    }

    /** A text that cannot be a name: 422. */
    public static HttpAnswer nameUnusable(UnusableNameException reason) {
        String detail = String.valueOf(reason.getMessage());
        return of(422, new Problem(Problem.NAME_UNUSABLE, "This cannot be a name.", detail), Notice.NONE);
    }

    /** A header {@code Idempotency-Key} that is missing though it is required, or malformed: 400. Empty if it is valid. */
    public static Optional<HttpAnswer> badKey(IdempotencyKey.Parsed header) {
        if (header instanceof IdempotencyKey.Parsed.Malformed malformed) {
            Problem problem =
                    new Problem(Problem.KEY_MALFORMED, "The idempotency key is malformed.", malformed.reason());
            return Optional.of(of(400, problem, Notice.NONE));
        }
        if (header instanceof IdempotencyKey.Parsed.Missing) {
            Problem problem = new Problem(
                    Problem.KEY_MISSING,
                    "An idempotency key is required.",
                    "Send the header " + IdempotencyKey.HEADER + ", a new one for each new request, in double quotes.");
            return Optional.of(of(400, problem, Notice.NONE));
        }
        return Optional.empty();
    }

    /** A record of the user's own that does not exist: 404. */
    public static HttpAnswer notFound(RecordNotFoundException missing) {
        String detail = String.valueOf(missing.getMessage());
        return of(404, new Problem(Problem.NOT_FOUND, "There is no such record.", detail), Notice.NONE);
    }

    /** The store did not answer: 503, and the client may try again. */
    public static HttpAnswer storeDown(Duration retryAfter) {
        Problem problem = new Problem(
                Problem.STORE_DOWN,
                "This cannot be done right now.",
                "Send the same request again after the time in Retry-After.");
        return of(503, problem, Notice.ERROR).retryingAfter(retryAfter);
    }

    static HttpAnswer of(int status, Problem problem, Notice notice) {
        return new HttpAnswer(status, Map.of(), false, null, Map.of(), problem, notice);
    }

    static HttpAnswer of(int status, Map<String, Object> fields, Notice notice) {
        return new HttpAnswer(status, Map.of(), false, null, fields, null, notice);
    }

    /** What the work gave: with its own status if it is a reply, with 200 otherwise. */
    static HttpAnswer sending(@Nullable Object value, Notice notice) {
        int status = value instanceof Reply reply ? reply.status() : 200;
        return new HttpAnswer(status, Map.of(), true, value, Map.of(), null, notice);
    }

    HttpAnswer withHeader(String name, String text) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, text);
        return new HttpAnswer(status, more, sendsReply, value, fields, problem, notice);
    }

    HttpAnswer withFields(Map<String, Object> members) {
        return new HttpAnswer(status, headers, sendsReply, value, members, problem, notice);
    }

    /** Whole seconds, rounded up, so that nobody comes too early; and never none, so that nobody comes in a loop. */
    HttpAnswer retryingAfter(Duration time) {
        long seconds = time.toSeconds() + (time.toNanosPart() > 0 ? 1 : 0);
        return withHeader(RETRY_AFTER, Long.toString(Math.max(1, seconds)));
    }

    /** The work's value, if it is to be sent and is a {@link Reply}: its headers and body are the answer's. */
    public @Nullable Reply reply() {
        return value instanceof Reply reply ? reply : null;
    }

    /** The body, if it is not the work's reply: a problem, or the fields. */
    public Optional<String> json() {
        if (problem != null) {
            Map<String, Object> members = new TreeMap<>(fields);
            members.put("type", problem.type());
            members.put("title", problem.title());
            members.put("detail", problem.detail());
            members.put("status", status);
            return Optional.of(JsonText.of(members));
        }
        return sendsReply || fields.isEmpty() ? Optional.empty() : Optional.of(JsonText.of(new TreeMap<>(fields)));
    }

    /** What {@link #json} is, for the header {@code Content-Type}. */
    public String jsonType() {
        return problem == null ? "application/json" : Problem.MEDIA_TYPE;
    }
}
