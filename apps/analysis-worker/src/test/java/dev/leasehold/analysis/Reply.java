package dev.leasehold.analysis;

import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an instance answered. */
record Reply(int status, String type, String retryAfter, String location, String text) {
    static Reply of(HttpResponse<String> response) {
        return new Reply(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.headers().firstValue("Retry-After").orElse(""),
                response.headers().firstValue("Location").orElse(""),
                response.body());
    }

    JsonNode json() {
        return JsonMapper.shared().readTree(text);
    }

    /** The member of this name, as text; empty if there is none. */
    String member(String name) {
        JsonNode value = json().get(name);
        return value == null ? "" : value.asString();
    }

    /** Whether it is an error of this status in the project's shape. */
    boolean isProblem(int expected) {
        return status == expected
                && type.startsWith("application/problem+json")
                && json().get("status").asInt() == expected;
    }

    boolean isSkipped(String reason) {
        return status == 200
                && member("status").equals("skipped")
                && member("reason").equals(reason);
    }

    boolean isDone() {
        return status == 200 && member("status").equals("done");
    }
}
