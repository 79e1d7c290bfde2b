package dev.leasehold.analysis;

import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Owner;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes the log lines of one delivery of a task. Each line has the analysis, the fence, the owner and the attempt. For the
 * thread that does the task, but {@link #lost} may come on any thread.
 */
final class TaskLog {
    private static final Logger LOG = LoggerFactory.getLogger(TaskLog.class);

    private final String id;
    private @Nullable Owner me;
    /** The number of this delivery's attempt; 0 before it began. */
    private int attempt;

    TaskLog(String id) {
        this.id = id;
    }

    void started(Run<Analysis> run) {
        me = run.lease().owner();
        attempt = run.attempt();
        run.predecessor()
                .ifPresent(silent -> line(LOG.atWarn(), run)
                        .addKeyValue("predecessor", label(silent.owner()))
                        .log("analysis taken over"));
        line(LOG.atInfo(), run).log("analysis started");
    }

    void lost(Run<Analysis> run, String why) {
        line(LOG.atError(), run).addKeyValue("reason", why).log("analysis lost its lock");
    }

    void stopped(Run<Analysis> run) {
        line(LOG.atWarn(), run).log("analysis stopped, because this process ends; the next delivery starts again");
    }

    void failed(Run<Analysis> run, Throwable error) {
        line(LOG.atWarn(), run)
                .addKeyValue("code", error.getClass().getSimpleName())
                .setCause(error)
                .log("analysis failed; the next delivery tries again");
    }

    /** Tells what became of the delivery. */
    void ended(Outcome<Analysis> outcome) {
        if (outcome instanceof Outcome.Ran<Analysis> ran) {
            line(LOG.atInfo(), ran.fence(), me, ran.attempt()).log("analysis ready");
        } else if (outcome instanceof Outcome.Replayed<Analysis> done) {
            skipped(done.fence(), null, done.attempts(), "already_finished");
        } else if (outcome instanceof Outcome.InProgress<Analysis> held) {
            skipped(held.fence(), held.owner(), 0, "locked");
        } else if (outcome instanceof Outcome.Refused<Analysis> refused) {
            refused(refused);
        } else if (outcome instanceof Outcome.Unrecorded<Analysis> late) {
            line(LOG.atWarn(), late.fence(), me, attempt)
                    .log(
                            late.isLeaseLost()
                                    ? "analysis not written: it lost its lock before its result was written; the queue delivers it again"
                                    : "analysis done, but the store did not confirm it; the queue delivers it again");
        }
    }

    private void refused(Outcome.Refused<Analysis> refused) {
        if (refused.cause() == null) {
            skipped(refused.fence(), null, refused.attempts(), "already_finished");
        } else {
            line(LOG.atWarn(), refused.fence(), me, refused.attempts())
                    .addKeyValue("code", refused.failure().code())
                    .log("analysis failed");
        }
    }

    private void skipped(Fence fence, @Nullable Owner owner, int attempt, String reason) {
        line(LOG.atInfo(), fence, owner, attempt).addKeyValue("reason", reason).log("analysis skipped");
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

    private static String label(@Nullable Owner owner) {
        return owner == null ? "" : owner.label();
    }
}
