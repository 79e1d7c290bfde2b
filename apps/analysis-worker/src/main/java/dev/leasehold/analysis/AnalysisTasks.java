package dev.leasehold.analysis;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Owner;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Does the task of an analysis: locks the analysis, analyses its text, and writes the result and clears the lock in one
 * write. A task for an analysis that is finished or locked is skipped. Safe for use by many threads.
 */
final class AnalysisTasks {
    private static final Logger LOG = LoggerFactory.getLogger(AnalysisTasks.class);
    private static final int MOST_ATTEMPTS = 5;
    private static final Duration UNRECORDED_RETRY = Duration.ofSeconds(5);

    private final Leasehold leasehold;
    private final AnalysisStore store;
    private final Analyser analyser;
    private final RunningTasks running;
    private final RunSpec<Analysis> spec;
    private final HttpProfile profile;

    AnalysisTasks(
            Leasehold leasehold, AnalysisStore store, Analyser analyser, RunningTasks running, Settings settings) {
        this.leasehold = leasehold;
        this.store = store;
        this.analyser = analyser;
        this.running = running;
        this.spec = spec(settings.lockTtl());
        this.profile = settings.isLockedSkipped() ? HttpProfile.QUEUE_SKIPPING : HttpProfile.QUEUE;
    }

    private static RunSpec<Analysis> spec(Duration lockTtl) {
        return RunSpec.of(Analysis.CODEC).withLeaseTtl(lockTtl).withMaxAttempts(MOST_ATTEMPTS);
    }

    /**
     * Does one delivery of a task, and says what to answer to the queue.
     *
     * @throws RunningTasks.StoppingException if this process ends; the lock was cleared if there was one
     * @throws Exception what the analysis threw, if another try may help: nothing was written, and the lock was cleared
     */
    HttpAnswer run(String id) throws Exception {
        Delivery delivery = new Delivery(id);
        return running.run(() -> {
            HttpAnswer answer = profile.answer(() -> {
                Outcome<Analysis> outcome =
                        leasehold.once(store.keyOf(id), spec).run(delivery::analyse);
                delivery.tell(outcome);
                return outcome;
            });
            // The record is the result: without it the task is not done, whatever was worked out.
            return delivery.isUnrecorded() ? HttpAnswer.storeDown(UNRECORDED_RETRY) : answer;
        });
    }

    /** One delivery of a task, and what the log is told of it. */
    private final class Delivery {
        private final String id;
        private @Nullable Owner me;
        private @Nullable Outcome<Analysis> outcome;

        Delivery(String id) {
            this.id = id;
        }

        Analysis analyse(Run<Analysis> run) throws InterruptedException {
            me = run.lease().owner();
            run.predecessor()
                    .ifPresent(silent -> line(LOG.atWarn(), run)
                            .addKeyValue("predecessor", label(silent.owner()))
                            .log("analysis taken over"));
            line(LOG.atInfo(), run).log("analysis started");
            run.onLost(
                    why -> line(LOG.atError(), run).addKeyValue("reason", why).log("analysis lost its lock"));
            try {
                Analysis analysis = run.record();
                if (analysis.text().isBlank()) {
                    throw new TerminalException(Failure.of("empty", "There is no text to analyse."));
                }
                return analysis.with(analyser.analyse(analysis.text(), () -> ensure(run)));
            } catch (LeaseLostException | TerminalException e) {
                throw e; // The loss and the outcome are told anyway.
            } catch (InterruptedException e) {
                line(LOG.atWarn(), run)
                        .log("analysis stopped, because this process ends; the next delivery starts again");
                throw e;
            } catch (RuntimeException | Error e) {
                line(LOG.atWarn(), run)
                        .addKeyValue("code", e.getClass().getSimpleName())
                        .setCause(e)
                        .log("analysis failed; the next delivery tries again");
                throw e;
            }
        }

        private void ensure(Run<Analysis> run) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("The process ends.");
            }
            run.ensure();
        }

        /** Whether the analysis was done, but its result is not known to be written. */
        boolean isUnrecorded() {
            return outcome instanceof Outcome.Unrecorded;
        }

        void tell(Outcome<Analysis> outcome) {
            this.outcome = outcome;
            if (outcome instanceof Outcome.Ran<Analysis> ran) {
                line(LOG.atInfo(), ran.fence(), me, ran.attempt()).log("analysis ready");
            } else if (outcome instanceof Outcome.Replayed<Analysis> done) {
                skipped(done.fence(), null, done.attempts(), "already_finished");
            } else if (outcome instanceof Outcome.InProgress<Analysis> held) {
                skipped(held.fence(), held.owner(), 0, "locked");
            } else if (outcome instanceof Outcome.Refused<Analysis> refused) {
                tellRefused(refused);
            } else if (outcome instanceof Outcome.Unrecorded<Analysis> late) {
                line(LOG.atWarn(), late.fence(), me, 0)
                        .log(
                                late.isLeaseLost()
                                        ? "analysis overtaken by another worker; nothing was written"
                                        : "analysis done, but the store did not confirm it; the queue delivers it again");
            }
        }

        private void tellRefused(Outcome.Refused<Analysis> refused) {
            String code = refused.failure().code();
            if (refused.cause() == null && !code.equals(Failure.ATTEMPTS_EXHAUSTED)) {
                skipped(refused.fence(), null, refused.attempts(), "already_finished");
            } else {
                line(LOG.atWarn(), refused.fence(), me, refused.attempts())
                        .addKeyValue("code", code)
                        .log("analysis failed");
            }
        }

        private void skipped(Fence fence, @Nullable Owner owner, int attempt, String reason) {
            line(LOG.atInfo(), fence, owner, attempt)
                    .addKeyValue("reason", reason)
                    .log("analysis skipped");
        }

        private LoggingEventBuilder line(LoggingEventBuilder line, Run<Analysis> run) {
            return line(line, run.fence(), run.lease().owner(), run.attempt());
        }

        private LoggingEventBuilder line(LoggingEventBuilder line, Fence fence, @Nullable Owner owner, int attempt) {
            return line.addKeyValue("analysisId", id)
                    .addKeyValue("fence", fence.value())
                    .addKeyValue("owner", label(owner))
                    .addKeyValue("attempt", attempt);
        }

        private String label(@Nullable Owner owner) {
            return owner == null ? "" : owner.label();
        }
    }
}
