package dev.leasehold.once.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.once.Failure;
import dev.leasehold.once.Name;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Subject;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.UnusableNameException;
import dev.leasehold.once.http.HttpAnswer.Notice;
import dev.leasehold.once.http.IdempotencyKey.Parsed;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("What is answered over HTTP")
class HttpProfileTest {
    private static final Fence FENCE = Fence.of(7);
    private static final Duration BIT = Duration.ofMillis(1_001);
    private static final Reply REPLY = Reply.of(200, "text/plain", new byte[] {1});
    private static final Reply FAILURE = Reply.of(410, "text/plain", new byte[] {2});
    private static final Name NAME = Name.of(Key.of("titles"), "My \"Castle\"!", NamePolicy.slug());

    private static final Map<String, Outcome<Reply>> OUTCOMES = Map.ofEntries(
            Map.entry(
                    "failed now", new Outcome.Refused<>(Failure.of("no", "No."), FENCE, 1, BIT, new Exception("No."))),
            Map.entry("ran", new Outcome.Ran<>(REPLY, FENCE, 1)),
            Map.entry("replayed", new Outcome.Replayed<>(REPLY, FENCE, 1, BIT)),
            Map.entry("in progress", new Outcome.InProgress<>(Owner.of("other"), FENCE, BIT, BIT)),
            Map.entry("refused", new Outcome.Refused<>(FAILURE.asFailure("no", "No."), FENCE, 1, BIT, null)),
            Map.entry("failed", new Outcome.Refused<>(Failure.of("no", "No."), FENCE, 1, BIT, null)),
            Map.entry("mismatch", new Outcome.Mismatch<>(FENCE, State.DONE)),
            Map.entry("on hold", new Outcome.OnHold<>("crashed", FENCE, 1, null)),
            Map.entry("cooling", new Outcome.Cooling<>(BIT)),
            Map.entry("unrecorded", new Outcome.Unrecorded<>(REPLY, FENCE, true, false)),
            Map.entry("unwritten", new Outcome.Unrecorded<>(REPLY, FENCE, true, true)),
            Map.entry("no attempt left", ended(Failure.of(Failure.ATTEMPTS_EXHAUSTED, "Too many."))),
            Map.entry("held as failed", ended(Failure.of(Failure.ON_HOLD, "Nobody knows."))));

    /** A run that this call ended without doing the work. */
    private static Outcome<Reply> ended(Failure failure) {
        return new Outcome.Refused<>(failure, FENCE, 1, BIT, new TerminalException(failure));
    }

    private static HttpAnswer answer(HttpProfile profile, String outcome) {
        Outcome<Reply> given = OUTCOMES.get(outcome);
        assertThat(given).as(outcome).isNotNull();
        return profile.answer(given);
    }

    @ParameterizedTest(name = "CLIENT, {0}: {1}")
    @CsvSource(
            nullValues = "-",
            quoteCharacter = '\'',
            value = {
                "ran, 200, reply, -, -, -, NONE",
                "replayed, 200, reply, -, true, -, NONE",
                "in progress, 409, none, 2, -, urn:leasehold:problem:in-progress, NONE",
                "refused, 410, reply, -, -, -, NONE",
                "failed, 422, none, -, -, urn:leasehold:problem:failed, NONE",
                "mismatch, 422, none, -, -, urn:leasehold:problem:key-reused, WARNING",
                "on hold, 409, none, -, -, urn:leasehold:problem:needs-review, ALERT",
                "cooling, 429, none, 2, -, urn:leasehold:problem:cooling, NONE",
                "unrecorded, 200, reply, -, -, -, WARNING",
                "unwritten, 503, none, 5, -, urn:leasehold:problem:unrecorded, ALERT",
            })
    void client(
            String outcome, int status, String reply, String retryAfter, String replayed, String body, Notice notice) {
        assertAnswer(HttpProfile.CLIENT, outcome, status, reply, retryAfter, replayed, body, notice);
    }

    @ParameterizedTest(name = "FINALIZE, {0}: {1}")
    @Tag("part-of:FINALIZE-1")
    @CsvSource(
            nullValues = "-",
            quoteCharacter = '\'',
            value = {
                "ran, 200, reply, -, -, -, NONE",
                "replayed, 200, reply, -, -, -, NONE",
                "in progress, 200, none, 2, -, '{\"idempotent\":true,\"status\":\"finalizing\"}', NONE",
                "refused, 410, reply, -, -, -, NONE",
                "failed, 422, none, -, -, urn:leasehold:problem:failed, NONE",
                "mismatch, 422, none, -, -, urn:leasehold:problem:key-reused, WARNING",
                "on hold, 409, none, -, -, urn:leasehold:problem:needs-review, ALERT",
                "cooling, 429, none, 2, -, urn:leasehold:problem:cooling, NONE",
                "unrecorded, 200, reply, -, -, -, WARNING",
                "unwritten, 503, none, 5, -, urn:leasehold:problem:unrecorded, ALERT",
            })
    void finalizing(
            String outcome, int status, String reply, String retryAfter, String replayed, String body, Notice notice) {
        assertAnswer(HttpProfile.FINALIZE, outcome, status, reply, retryAfter, replayed, body, notice);
    }

    @ParameterizedTest(name = "{0}, {1}: {2}")
    @CsvSource(
            nullValues = "-",
            quoteCharacter = '\'',
            value = {
                "QUEUE, ran, 200, none, -, -, '{\"status\":\"done\"}', NONE",
                "QUEUE, replayed, 200, none, -, -, '{\"reason\":\"already_finished\",\"status\":\"skipped\"}', NONE",
                "QUEUE, in progress, 503, none, 2, -, urn:leasehold:problem:in-progress, NONE",
                "QUEUE, refused, 200, none, -, -, '{\"reason\":\"already_finished\",\"status\":\"skipped\"}', NONE",
                "QUEUE, failed, 200, none, -, -, '{\"reason\":\"already_finished\",\"status\":\"skipped\"}', NONE",
                "QUEUE, failed now, 200, none, -, -, '{\"reason\":\"no\",\"status\":\"failed\"}', NONE",
                "QUEUE, no attempt left, 200, none, -, -, '{\"reason\":\"attempts-exhausted\",\"status\":\"failed\"}', NONE",
                "QUEUE, held as failed, 200, none, -, -, '{\"reason\":\"on-hold\",\"status\":\"failed\"}', ALERT",
                "QUEUE, mismatch, 200, none, -, -, '{\"reason\":\"key_reused\",\"status\":\"skipped\"}', ERROR",
                "QUEUE, on hold, 200, none, -, -, '{\"reason\":\"on_hold\",\"status\":\"skipped\"}', ALERT",
                "QUEUE, cooling, 503, none, 2, -, urn:leasehold:problem:cooling, NONE",
                "QUEUE, unrecorded, 200, none, -, -, '{\"status\":\"done\"}', ALERT",
                "QUEUE, unwritten, 503, none, 5, -, urn:leasehold:problem:unrecorded, ALERT",
                "QUEUE_SKIPPING, unrecorded, 200, none, -, -, '{\"status\":\"done\"}', ALERT",
                "QUEUE_SKIPPING, unwritten, 503, none, 5, -, urn:leasehold:problem:unrecorded, ALERT",
                "QUEUE_SKIPPING, in progress, 200, none, -, -, '{\"reason\":\"locked\",\"status\":\"skipped\"}', NONE",
            })
    void queue(
            HttpProfile profile,
            String outcome,
            int status,
            String reply,
            String retryAfter,
            String replayed,
            String body,
            Notice notice) {
        assertAnswer(profile, outcome, status, reply, retryAfter, replayed, body, notice);
    }

    /** Status, whether the work's reply is sent, Retry-After, Idempotent-Replayed, JSON or problem type, notice. */
    private static void assertAnswer(
            HttpProfile profile,
            String outcome,
            int status,
            String reply,
            String retryAfter,
            String replayed,
            String body,
            Notice notice) {
        HttpAnswer answer = answer(profile, outcome);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.sendsReply()).isEqualTo(reply.equals("reply"));
        Reply sent = outcome.equals("refused") ? FAILURE : REPLY;
        assertThat(answer.reply()).isEqualTo(reply.equals("reply") ? sent : null);
        assertThat(answer.headers().get("Retry-After")).isEqualTo(retryAfter);
        assertThat(answer.headers().get("Idempotent-Replayed")).isEqualTo(replayed);
        assertThat(answer.notice()).isEqualTo(notice);
        Problem problem = answer.problem();
        assertThat(problem == null ? answer.json().orElse(null) : problem.type())
                .isEqualTo(body);
    }

    @Test
    @DisplayName("The status of the work's own reply is sent as it is")
    void ownStatus() {
        Outcome<Reply> created = new Outcome.Ran<>(Reply.of(201, "text/plain", new byte[] {1}), FENCE, 1);

        assertThat(HttpProfile.CLIENT.answer(created).status()).isEqualTo(201);
    }

    @Test
    @Tag("part-of:FINALIZE-1")
    @DisplayName("A finalize that is replayed adds to its payload that it is")
    void finalizeReplayed() {
        assertThat(answer(HttpProfile.FINALIZE, "replayed").fields()).containsOnly(Map.entry("idempotent", true));
        assertThat(answer(HttpProfile.FINALIZE, "ran").fields()).isEmpty();
    }

    @Test
    @DisplayName("Work that gives something else than a reply is answered with 200")
    void otherValues() {
        assertThat(HttpProfile.CLIENT
                        .answer(new Outcome.Ran<>("text", FENCE, 1))
                        .status())
                .isEqualTo(200);
        assertThat(HttpProfile.CLIENT
                        .answer(new Outcome.Replayed<Void>(null, FENCE, 1, BIT))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 1", "PT0.000001S, 1", "PT1S, 1", "PT1.000000001S, 2", "PT5M, 300"})
    @DisplayName("Retry-After is in whole seconds, rounded up, and at least one")
    void retryAfter(Duration remaining, String header) {
        assertThat(HttpProfile.CLIENT.answer(new Outcome.Cooling<>(remaining)).headers())
                .containsEntry("Retry-After", header);
    }

    @ParameterizedTest
    @EnumSource(HttpProfile.class)
    @Tag("part-of:ANALYSIS-7")
    @DisplayName("A queue gets 2xx for what must not be sent again, and 5xx for what must")
    void queuesAreRescued(HttpProfile profile) {
        int status = answer(profile, "in progress").status();
        assertThat(status / 100).isEqualTo(profile == HttpProfile.QUEUE ? 5 : profile == HttpProfile.CLIENT ? 4 : 2);
    }

    @Test
    @Tag("part-of:FINALIZE-6")
    @DisplayName("A name that is taken is a 409 that says what to do")
    void nameTaken() {
        HttpAnswer answer =
                HttpAnswer.nameTaken(new NameClaim.Taken(NAME, Subject.of("castle-1"), false, Micros.FOREVER));

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.headers()).isEmpty();
        assertThat(answer.notice()).isEqualTo(Notice.WARNING);
        assertThat(answer.jsonType()).isEqualTo("application/problem+json");
        assertThat(answer.json())
                .contains(
                        "{\"detail\":\"\\\"My \\\"Castle\\\"!\\\" is taken, or too much like one that is. Choose another"
                                + " one.\",\"status\":409,\"title\":\"The name is taken.\","
                                + "\"type\":\"urn:leasehold:problem:name-taken\"}");
    }

    @Test
    @DisplayName("A name that may still become free says when to try again")
    void nameTakenForNow() {
        HttpAnswer answer = HttpAnswer.nameTaken(new NameClaim.Taken(NAME, Subject.of("castle-1"), true, BIT));

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.headers()).containsEntry("Retry-After", "2");
    }

    @Test
    @DisplayName("A text that cannot be a name is a 422 with the reason")
    void nameUnusable() {
        UnusableNameException reason = org.assertj.core.api.Assertions.catchThrowableOfType(
                UnusableNameException.class, () -> NamePolicy.slug().normalise("!!!"));

        assertThat(HttpAnswer.nameUnusable(reason).status()).isEqualTo(422);
        assertThat(HttpAnswer.nameUnusable(reason).json())
                .hasValueSatisfying(json -> assertThat(json).contains("at least one letter or digit"));
    }

    @Test
    @DisplayName("A header that is missing or malformed is a 400, and a valid one is none")
    void badKey() {
        assertThat(HttpAnswer.badKey(new Parsed.Missing()))
                .hasValueSatisfying(answer -> assertThat(answer.status()).isEqualTo(400));
        assertThat(HttpAnswer.badKey(new Parsed.Malformed("why"))).hasValueSatisfying(answer -> {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.json())
                    .hasValueSatisfying(json -> assertThat(json).contains("why", "key-malformed"));
        });
        assertThat(HttpAnswer.badKey(new Parsed.Valid("a"))).isEmpty();
    }

    @Test
    @DisplayName("A store that is down is a 503 that can be tried again")
    void storeDown() {
        HttpAnswer answer = HttpAnswer.storeDown(Duration.ofSeconds(5));

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.headers()).containsEntry("Retry-After", "5");
        assertThat(answer.json()).hasValueSatisfying(json -> assertThat(json).contains(Problem.STORE_DOWN));
    }

    @Test
    @DisplayName("JSON is safe whatever a name contains")
    void jsonIsEscaped() {
        Name nasty = Name.of(Key.of("titles"), "a\n\"\\\u2028😀", NamePolicy.slug());

        assertThat(HttpAnswer.nameTaken(new NameClaim.Taken(nasty, Subject.of("s"), false, Micros.FOREVER))
                        .json())
                .hasValueSatisfying(json -> assertThat(json).contains("a\\u000a\\\"\\\\\\u2028\\ud83d\\ude00"));
    }
}
