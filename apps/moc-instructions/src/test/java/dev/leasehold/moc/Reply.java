package dev.leasehold.moc;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an instance answered. */
record Reply(int status, String type, String retryAfter, String requestId, String text) {
    static Reply of(HttpResponse<String> response) {
        return new Reply(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.headers().firstValue("Retry-After").orElse(""),
                response.headers().firstValue("X-Request-Id").orElse(""),
                response.body());
    }

    JsonNode json() {
        return JsonMapper.shared().readTree(text);
    }

    /** The member of this name, as text; empty if there is none. */
    String member(String name) {
        return json().path(name).asString("");
    }

    /** Whether it is an error of this status in the project's shape. */
    boolean isProblem(int expected, String reason) {
        return status == expected
                && type.startsWith("application/problem+json")
                && json().get("status").asInt() == expected
                && member("type").equals("urn:leasehold:problem:" + reason);
    }

    boolean isFinalized() {
        return status == 200 && member("status").equals("finalized");
    }

    /** Whether it says that another call is at it, and nothing else. */
    boolean isFinalizing() {
        return status == 200 && json().equals(JsonMapper.shared().readTree("""
                {"idempotent": true, "status": "finalizing"}"""));
    }

    boolean isIdempotent() {
        return json().path("idempotent").asBoolean(false);
    }
}
