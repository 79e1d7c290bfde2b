package dev.leasehold.once.http;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.http.HttpAnswer.Notice;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The kind of caller, which decides how an outcome is answered: the same outcome means different things to a client, a
 * person's browser and a task queue.
 */
public enum HttpProfile {
    /** A client that sends {@code Idempotency-Key}, as in the draft of the IETF. */
    CLIENT,

    /** A step that people call and may call again: while it is under way that is no error. */
    FINALIZE,

    /**
     * A task queue, which takes 2xx for done and sends everything else again. Work that is under way elsewhere is
     * answered with 503, because its runner may be dead and sending again is what rescues it.
     */
    QUEUE,

    /** The same, but work that is under way elsewhere is taken for done. If its runner dies, nobody sends it again. */
    QUEUE_SKIPPING;

    /** Retry-After when the store did not answer or the result may be unsaved. */
    private static final Duration TROUBLE_RETRY = Duration.ofSeconds(5);

    private static final System.Logger LOGGER = System.getLogger("dev.leasehold");

    private static final Map<String, Object> DONE = Map.of("status", "done");
    private static final Map<String, Object> IDEMPOTENT = Map.of("idempotent", true);
    private static final Map<String, Object> FINALIZING = Map.of("idempotent", true, "status", "finalizing");

    /**
     * Makes the call and says what to answer to its outcome, to a record that does not exist (404), and to a store that does
     * not answer or a lease that was lost (503). The error behind a 503 is written to the log; the client does not see it.
     *
     * @throws Exception what the work threw, if its failure was cleared: the caller answers it as its own errors. So are a
     *     lease on another key that the work could not have, and another record that it did not find
     */
    public HttpAnswer answer(Callable<? extends Outcome<?>> call) throws Exception {
        try {
            return answer(call.call());
        } catch (LeaseException e) {
            if (Once.isOfWork(e)) {
                throw e;
            }
            if (e instanceof RecordNotFoundException missing) {
                return HttpAnswer.notFound(missing);
            }
            log(e);
            return HttpAnswer.storeDown(TROUBLE_RETRY);
        }
    }

    /** Never throws: a logger that fails must not cost the caller its answer. */
    private static void log(LeaseException error) {
        try {
            LOGGER.log(System.Logger.Level.WARNING, "Answered 503: " + error.getMessage(), error);
        } catch (RuntimeException | Error e) {
            // There is no other place to report it.
            return;
        }
    }

    /** What to answer to the caller that caused this outcome. */
    public HttpAnswer answer(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Ran<?> ran) {
            return isQueue() ? done(Notice.NONE) : HttpAnswer.sending(ran.value(), Notice.NONE);
        }
        if (outcome instanceof Outcome.Replayed<?> replayed) {
            return replayed(replayed);
        }
        if (outcome instanceof Outcome.InProgress<?> running) {
            return inProgress(running.retryAfter());
        }
        if (outcome instanceof Outcome.Refused<?> refused) {
            return isQueue() ? refusedTask(refused) : refused(refused.failure());
        }
        if (outcome instanceof Outcome.Mismatch<?>) {
            return isQueue()
                    ? skipped("key_reused", Notice.ERROR)
                    : HttpAnswer.of(
                            422,
                            new Problem(
                                    Problem.KEY_REUSED,
                                    "The key was used for another request.",
                                    "Send a new key for a new request, and the same request with the same key."),
                            Notice.WARNING);
        }
        if (outcome instanceof Outcome.OnHold<?>) {
            return isQueue()
                    ? skipped("on_hold", Notice.ALERT)
                    : HttpAnswer.of(
                            409,
                            new Problem(
                                    Problem.NEEDS_REVIEW,
                                    "It is not known whether this was done.",
                                    "Somebody has to look into it. Sending the request again does not help."),
                            Notice.ALERT);
        }
        if (outcome instanceof Outcome.Cooling<?> cooling) {
            return cooling(cooling.remaining());
        }
        return unrecorded((Outcome.Unrecorded<?>) outcome);
    }

    /** A record of the user's own is the result: without it nothing is done, whatever the work gave. */
    private HttpAnswer unrecorded(Outcome.Unrecorded<?> unrecorded) {
        if (unrecorded.isUsersRecord()) {
            Problem problem = new Problem(
                    Problem.UNRECORDED,
                    "The work was done, but it is not known whether its result was saved.",
                    "Send the same request again after the time in Retry-After.");
            return HttpAnswer.of(503, problem, Notice.ALERT).retryingAfter(TROUBLE_RETRY);
        }
        return isQueue() ? done(Notice.ALERT) : HttpAnswer.sending(unrecorded.value(), Notice.WARNING);
    }

    private boolean isQueue() {
        return this == QUEUE || this == QUEUE_SKIPPING;
    }

    private static HttpAnswer done(Notice notice) {
        return HttpAnswer.of(200, DONE, notice);
    }

    /** A task that failed for good is not to be sent again. */
    private static HttpAnswer refusedTask(Outcome.Refused<?> refused) {
        String code = refused.failure().code();
        Notice notice = code.equals(Failure.ON_HOLD) ? Notice.ALERT : Notice.NONE;
        return refused.cause() == null
                ? skipped("already_finished", notice)
                : HttpAnswer.of(200, Map.of("status", "failed", "reason", code), notice);
    }

    private static HttpAnswer skipped(String reason, Notice notice) {
        return HttpAnswer.of(200, Map.of("status", "skipped", "reason", reason), notice);
    }

    private HttpAnswer replayed(Outcome.Replayed<?> replayed) {
        if (isQueue()) {
            return skipped("already_finished", Notice.NONE);
        }
        HttpAnswer answer = HttpAnswer.sending(replayed.value(), Notice.NONE);
        return this == FINALIZE
                ? answer.withFields(IDEMPOTENT)
                : answer.withHeader(HttpAnswer.IDEMPOTENT_REPLAYED, "true");
    }

    private HttpAnswer inProgress(Duration retryAfter) {
        Problem problem = new Problem(
                Problem.IN_PROGRESS,
                "Another caller is doing this work now.",
                "Send the same request again after the time in Retry-After.");
        return switch (this) {
            case CLIENT -> HttpAnswer.of(409, problem, Notice.NONE).retryingAfter(retryAfter);
            case FINALIZE -> HttpAnswer.of(200, FINALIZING, Notice.NONE).retryingAfter(retryAfter);
            case QUEUE -> HttpAnswer.of(503, problem, Notice.NONE).retryingAfter(retryAfter);
            case QUEUE_SKIPPING -> skipped("locked", Notice.NONE);
        };
    }

    /** As the work wanted it to be answered; 422 if it did not say, since the same request would fail again. */
    private static HttpAnswer refused(Failure failure) {
        return Reply.of(failure)
                .map(reply -> HttpAnswer.sending(reply, Notice.NONE))
                .orElseGet(() -> HttpAnswer.of(
                        422,
                        new Problem(Problem.FAILED, "This failed, and will fail again.", failure.message()),
                        Notice.NONE));
    }

    private HttpAnswer cooling(Duration remaining) {
        Problem problem = new Problem(
                Problem.COOLING, "This was done a short while ago.", "Send the request again after a while.");
        return HttpAnswer.of(isQueue() ? 503 : 429, problem, Notice.NONE).retryingAfter(remaining);
    }
}
