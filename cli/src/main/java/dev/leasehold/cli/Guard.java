package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command under a lease: asks for the lease, starts the command, ends it if the lease is lost, passes signals
 * on, and gives the lease back when the command has ended. One object for one run.
 *
 * <p>Signals arrive on threads of the JVM, news of the lease on those of its client, and both may come at any moment.
 * What they change is guarded by this object. Nothing is said while it is locked, nor before what is urgent was done:
 * whoever reads our messages may be slow. The thread that called {@link #run} waits and decides.
 */
final class Guard implements Supervisor.Listener {
    /** How much longer than its grace a command may take to be gone. */
    private static final Duration LAST_BREATH = Duration.ofSeconds(2);

    private static final Duration NEARLY = Duration.ofMillis(50);

    /** Why a command was ended by us. */
    private enum Cause {
        LOST,
        TIMEOUT,
        SIGNAL
    }

    private final Plan plan;
    private final StoreOptions store;
    private final Voice voice;
    private final Purpose purpose;
    private final Report report;
    private final Patience patience = new Patience();

    private @Nullable Child child;
    private @Nullable Lease lease;
    private @Nullable Cause cause;
    /** When the supervisor begins to end the command unless it hears from us, by the monotonic clock. */
    private long stopsAt = System.nanoTime() + Micros.FOREVER.toNanos();

    private int interrupts;

    Guard(Plan plan, StoreOptions store, Voice voice, Purpose purpose) {
        this.plan = plan;
        this.store = store;
        this.voice = voice;
        this.purpose = purpose;
        this.report = new Report(plan);
    }

    Report report() {
        return report;
    }

    /** Does it all, and gives the code to exit with. The calling thread stays until the command has ended. */
    int run() throws InterruptedException {
        // Before the store is asked for anything: nothing may be left behind by a signal that comes early.
        Signals.handTo(this::signalled);
        String program = plan.command().get(0);
        Programs.Found found = Programs.look(program);
        if (found == Programs.Found.NO) {
            return failed(ExitCode.NOT_FOUND, Messages.text("run.not-found", program));
        }
        if (found == Programs.Found.NOT_EXECUTABLE) {
            return failed(ExitCode.NOT_EXECUTABLE, Messages.text("run.not-executable", program));
        }
        // The store is opened while the supervisor is started.
        try (Asking asking = new Asking(plan, purpose, store, patience, this::happened);
                Supervisor supervisor = new Supervisor(plan.grace(), this)) {
            return run(supervisor, asking);
        } catch (Patience.StoppedException e) {
            return report.ended("interrupted", ExitCode.SIGNAL + Signals.number(e.signal));
        } catch (IOException e) {
            return failed(ExitCode.NOT_EXECUTABLE, Messages.text("run.not-started", program, e.getMessage()));
        }
    }

    private int run(Supervisor supervisor, Asking asking)
            throws Patience.StoppedException, InterruptedException, IOException {
        Acquisition answer;
        try {
            answer = asking.answer();
        } catch (StoreUnavailableException e) {
            String why = String.valueOf(e.getMessage());
            if (!plan.runsWithoutStore()) {
                return failed(ExitCode.UNAVAILABLE, Messages.text("store.unavailable", why));
            }
            voice.error(Messages.text("run.without-store", why));
            report.put("message", why);
            return runChild(supervisor, null);
        } catch (StoreException e) {
            return failed(ExitCode.CONFIG, Main.advice(e));
        } finally {
            report.putMillis("waitedMs", asking.took());
        }
        if (answer instanceof Acquisition.Refused refused) {
            return busy(refused);
        }
        Lease granted = answer.orElseThrow();
        report.granted(granted);
        asking.tidyNowAndThen();
        return runChild(supervisor, granted);
    }

    private int failed(int code, String message) {
        voice.error(message);
        report.put("message", message);
        return report.ended("error", code);
    }

    private int busy(Acquisition.Refused refused) {
        Optional<Purpose.Replay> replay = purpose.replay();
        if (replay.isPresent()) {
            voice.notice(replay.get().text());
            return report.ended("already_done", replay.get().code());
        }
        if (refused.answer() instanceof AcquireResult.Held held) {
            report.heldBy(held);
        }
        voice.notice(Refusal.text(refused));
        return report.ended("busy", plan.busyCode());
    }

    private static Optional<Subscription> startUse(Lease lease) {
        try {
            return Optional.of(lease.startUse());
        } catch (LeaseLostException e) {
            return Optional.empty(); // The command is ended as after any other loss.
        }
    }

    private int runChild(Supervisor supervisor, @Nullable Lease granted)
            throws Patience.StoppedException, InterruptedException, IOException {
        long start = System.nanoTime();
        report.started(Instant.now());
        Child started = start(supervisor, granted);
        voice.event("run:started", Map.of("pid", started.pid()));
        // Nobody who closes the client may take the lease away under the command.
        Optional<Subscription> use = Optional.ofNullable(granted).flatMap(Guard::startUse);
        int code = await(started);
        report.putMillis("ranMs", since(start));
        report.put("childExitCode", code);
        Optional<Cause> why = finish(started);
        supervisor.ended();
        boolean isLost = why.equals(Optional.of(Cause.LOST));
        boolean isLate = why.equals(Optional.of(Cause.TIMEOUT));
        int ended = isLost ? ExitCode.LOST : isLate ? ExitCode.TIMEOUT : code;
        if (granted != null) {
            purpose.end(granted, plan, new Purpose.Ending(ended, since(start), isLost, patience.isOver()), voice);
        }
        use.ifPresent(Subscription::close);
        return report.ended(isLost ? "lost" : isLate ? "timeout" : "ran", ended);
    }

    /** No command is started after a signal that asks for the end. */
    private synchronized Child start(Supervisor supervisor, @Nullable Lease granted)
            throws IOException, Patience.StoppedException {
        patience.check();
        Child started = Child.start(plan.command(), ChildEnvironment.of(plan, granted), plan.hasInput(), supervisor);
        child = started;
        lease = granted;
        if (granted != null && plan.stopsOnLoss()) {
            letLive();
            granted.onLost(this::lost);
        }
        return started;
    }

    private int await(Child started) throws InterruptedException {
        if (plan.hasLimit() && !started.awaitWithin(plan.maxRuntime())) {
            stop(Cause.TIMEOUT);
            voice.notice(Messages.text("run.timeout", plan.key(), Durations.text(plan.maxRuntime())));
        }
        return started.await();
    }

    /** After the command itself has ended: waits for what it started, if that is being ended too. */
    private Optional<Cause> finish(Child started) throws InterruptedException {
        boolean mayBeStopping;
        synchronized (this) {
            mayBeStopping = cause == null && stopsAt - System.nanoTime() < NEARLY.toNanos();
        }
        if (mayBeStopping) {
            // This process may have been stopped while the supervisor ended the command: it will say so any moment.
            started.awaitStopping(LAST_BREATH);
        }
        synchronized (this) {
            if (cause == null && patience.isOver() && started.isGroup()) {
                cause = Cause.SIGNAL;
                started.stop(plan.grace());
            }
            if (cause == null) {
                return Optional.empty();
            }
        }
        started.awaitGone(plan.grace().plus(LAST_BREATH));
        synchronized (this) {
            return Optional.ofNullable(cause);
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /**
     * Begins to end the command, in any case so that it is gone before somebody else can have the lease.
     *
     * @return whether this is the first reason to do so
     */
    private synchronized boolean stop(Cause why) {
        if (cause != null || child == null) {
            return false;
        }
        cause = why;
        child.stop(plan.graceWithin(lease == null ? Duration.ZERO : lease.remaining()));
        return true;
    }

    private void lost(String why) {
        if (stop(Cause.LOST)) {
            voice.error(Messages.text("run.lost", plan.key(), why));
        }
    }

    /** If we did not tell it to, no renewal came in time. Then we do, so that no renewal calls it off. */
    @Override
    public void stopping() {
        if (stop(Cause.LOST)) {
            voice.error(Messages.text("run.deadline", plan.key()));
        }
    }

    /** A new supervisor knows nothing yet. */
    @Override
    public synchronized void replaced() {
        if (child != null) {
            child.introduce();
            letLive();
            if (cause != null) {
                child.stop(plan.graceWithin(lease == null ? Duration.ZERO : lease.remaining()));
            }
        }
    }

    private synchronized void letLive() {
        if (child != null && lease != null && cause == null && plan.stopsOnLoss()) {
            Duration time = plan.undisturbed(lease.remaining());
            stopsAt = System.nanoTime() + time.toNanos();
            child.live(time, plan.grace());
        }
    }

    private void signalled(String name) {
        Child running;
        boolean isSecond = false;
        synchronized (this) {
            running = child;
            if (Signals.isStop(name)) {
                isSecond = name.equals("INT") && ++interrupts > 1;
                patience.end(name);
            }
        }
        if (running != null) {
            // At a terminal the keys are the command's: it may have good use for more than one.
            if (isSecond && !running.isAtTerminal()) {
                running.kill();
            } else {
                running.signal(name);
            }
        }
    }

    private void happened(LeaseEvent event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("at", event.source().at().toString());
        fields.put("key", event.source().scope().value());
        fields.put("id", event.source().leaseId());
        if (event instanceof LeaseEvent.Renewed renewed) {
            letLive();
            fields.put("expiresAt", renewed.expiresAt().toString());
        } else if (event instanceof LeaseEvent.AtRisk) {
            voice.notice(Messages.text("run.at-risk", plan.key()));
        } else if (event instanceof LeaseEvent.Retry retry) {
            fields.put("reason", retry.reason());
            if (retry.reason() == LeaseEvent.Reason.CONTENDED) {
                voice.detail(Messages.text("run.waiting", plan.key()));
            }
        } else if (event instanceof LeaseEvent.CleanupWarning warning) {
            voice.notice(warning.message());
        } else if (event instanceof LeaseEvent.Lost lost) {
            fields.put("why", lost.why());
            if (!plan.stopsOnLoss()) {
                voice.error(Messages.text("run.lost-warning", plan.key(), lost.why()));
            }
        }
        voice.event(event.type(), fields);
    }
}
