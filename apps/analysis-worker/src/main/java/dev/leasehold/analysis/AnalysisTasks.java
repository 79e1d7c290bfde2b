package dev.leasehold.analysis;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.once.Failure;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.HttpProfile;

/**
 * Does the task of an analysis: locks the analysis, analyses its text, and writes the result and clears the lock in one
 * write. A task for a finished analysis is answered as skipped. A task for a locked one is answered 503, so that the queue
 * sends it again, unless the settings say 200. Safe for use by many threads.
 */
final class AnalysisTasks {
    private static final int MOST_ATTEMPTS = 5;

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
        this.spec = RunSpec.of(Analysis.CODEC)
                .withLeaseTtl(settings.lockTtl())
                .withMaxAttempts(MOST_ATTEMPTS)
                .withFailurePolicy(this::judge);
        this.profile = settings.isLockedSkipped() ? HttpProfile.QUEUE_SKIPPING : HttpProfile.QUEUE;
    }

    /** That this process ends is no failure of the analysis. */
    private Verdict judge(Throwable error, int attempt) {
        boolean isStopped = error instanceof InterruptedException && running.isStopping();
        return isStopped ? Verdict.RESET : FailurePolicy.DEFAULT.judge(error, attempt);
    }

    /**
     * Does one delivery of a task, and says what to answer to the queue.
     *
     * @throws RunningTasks.StoppingException if this process ends; the lock was cleared if there was one
     * @throws Exception what the analysis threw, if another try may help: nothing was written, and the lock was cleared
     */
    HttpAnswer run(String id) throws Exception {
        TaskLog log = new TaskLog(id);
        return running.run(() -> profile.answer(() -> {
            Outcome<Analysis> outcome = leasehold.once(store.keyOf(id), spec).run(run -> analyse(run, log));
            log.ended(outcome);
            return outcome;
        }));
    }

    private Analysis analyse(Run<Analysis> run, TaskLog log) throws InterruptedException {
        log.started(run);
        run.onLost(why -> log.lost(run, why));
        try {
            Analysis analysis = run.record();
            if (analysis.text().isBlank()) {
                throw new TerminalException(Failure.of("empty", "There is no text to analyse."));
            }
            return analysis.with(analyser.analyse(analysis.text(), () -> ensure(run)));
        } catch (LeaseLostException | TerminalException e) {
            throw e; // The loss and the outcome are told anyway.
        } catch (InterruptedException e) {
            log.stopped(run);
            throw e;
        } catch (RuntimeException | Error e) {
            log.failed(run, e);
            throw e;
        }
    }

    private static void ensure(Run<Analysis> run) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("The process ends.");
        }
        run.ensure();
    }
}
