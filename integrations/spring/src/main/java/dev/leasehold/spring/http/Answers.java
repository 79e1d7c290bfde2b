package dev.leasehold.spring.http;

import dev.leasehold.once.Failure;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.Problem;
import dev.leasehold.once.http.Reply;
import dev.leasehold.spring.observe.LogFields;
import dev.leasehold.store.Key;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.util.unit.DataSize;

/** Sends answers, and has those that only requests to this server need. */
final class Answers {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.leasehold.http");
    private static final String BASE = "urn:leasehold:problem:";

    private Answers() {}

    /** A request of nobody in particular: 401. */
    static HttpAnswer noPrincipal() {
        return problem(
                401,
                "no-principal",
                "Authentication is required.",
                "An idempotency key counts for one caller, and this request has none.");
    }

    /** An upload of files, which has another form each time: 415. */
    static HttpAnswer multipart() {
        return problem(
                415,
                "multipart",
                "A multipart request cannot have an idempotency key.",
                "Send the body in another type.");
    }

    /** 413. */
    static HttpAnswer requestTooLarge(DataSize most) {
        return problem(
                413,
                "request-too-large",
                "The body is too large.",
                "A request with an idempotency key has at most " + most.toBytes() + " bytes.");
    }

    /** A failure that is kept: the work was done, and its reply cannot be given. */
    static Failure replyTooLarge(DataSize most) {
        HttpAnswer answer = problem(
                500,
                "reply-too-large",
                "The request was done, but its reply is too large to be kept.",
                "Look at the result by another request. Sending this one again does not help.");
        byte[] body = answer.json().orElseThrow().getBytes(StandardCharsets.UTF_8);
        return Reply.of(500, answer.jsonType(), body)
                .asFailure("reply-too-large", "The reply has more than " + most.toBytes() + " bytes.");
    }

    private static HttpAnswer problem(int status, String type, String title, String detail) {
        Problem problem = new Problem(BASE + type, title, detail);
        return new HttpAnswer(status, Map.of(), false, null, Map.of(), problem, HttpAnswer.Notice.NONE);
    }

    /** A line for an operator, if the answer is worth one. */
    static void log(HttpAnswer answer, Key key) {
        if (answer.notice() != HttpAnswer.Notice.NONE) {
            Level level = answer.notice() == HttpAnswer.Notice.WARNING ? Level.WARN : Level.ERROR;
            Problem problem = answer.problem();
            LOGGER.atLevel(level)
                    .addKeyValue(LogFields.KEY, key)
                    .log(
                            "Answered {} on {}: {}",
                            answer.status(),
                            key,
                            problem == null ? "the reply is not known to be kept" : problem.title());
        }
    }

    static void send(HttpServletResponse response, HttpAnswer answer) throws IOException {
        answer.headers().forEach(response::setHeader);
        Reply reply = answer.reply();
        if (reply != null) {
            send(response, answer.fields().isEmpty() ? reply : withMembers(reply, answer.fields()));
            return;
        }
        response.setStatus(answer.status());
        String json = answer.json().orElse(null);
        if (json != null) {
            response.setContentType(answer.jsonType());
            write(response, json.getBytes(StandardCharsets.UTF_8));
        }
    }

    static void send(HttpServletResponse response, Reply reply) throws IOException {
        response.setStatus(reply.status());
        reply.headers().forEach((name, values) -> send(response, name, values));
        write(response, reply.body());
    }

    private static void send(HttpServletResponse response, String name, List<String> values) {
        if (name.equals("content-type")) {
            response.setContentType(values.get(0));
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            if (i == 0) {
                response.setHeader(name, values.get(i));
            } else {
                response.addHeader(name, values.get(i));
            }
        }
    }

    private static void write(HttpServletResponse response, byte[] body) throws IOException {
        if (body.length > 0) {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    /** The same reply with more members, if its body is a JSON object. */
    private static Reply withMembers(Reply reply, Map<String, Object> members) {
        String type = String.join("", reply.headers().getOrDefault("content-type", List.of()));
        String body = new String(reply.body(), StandardCharsets.UTF_8).strip();
        if (!type.contains("json") || !body.startsWith("{") || !body.endsWith("}")) {
            return reply;
        }
        String added = new HttpAnswer(200, Map.of(), false, null, members, null, HttpAnswer.Notice.NONE)
                .json()
                .orElseThrow();
        String inner = body.substring(1, body.length() - 1).strip();
        String joined = inner.isEmpty() ? added : "{" + inner + "," + added.substring(1);
        return Reply.of(
                reply.status(),
                reply.headers(),
                joined.getBytes(StandardCharsets.UTF_8),
                reply.headers().keySet());
    }
}
