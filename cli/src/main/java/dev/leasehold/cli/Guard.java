package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command under a lease: asks for the lease, starts the command, ends it if the lease is lost, passes signals
 * on, and gives the lease back when the command has ended. One object for one run.
 *
 * <p>Signals arrive on threads of the JVM, news of the lease on those of its client, and both may come at any moment.
 * What they change is guarded by this object; the thread that called {@link #run} waits and decides.
 */
final class Guard {
    /** No answer of the store for this long before the start, beyond the time one is willing to wait, is none. */
    private static final Duration STORE_LIMIT = Duration.ofSeconds(15);

    /** How much longer than its grace a command may take to be gone. */
    private static final Duration LAST_BREATH = Duration.ofSeconds(2);

    /** Why a command was ended by us. */
    private enum Cause {
        LOST,
        TIMEOUT,
        SIGNAL
    }

    /** A signal asked for the end before there was a command. */
    private static final class StoppedException extends Exception {
        private static final long serialVersionUID = 1L;

        final String signal;

        StoppedException(String signal) {
            super("Stopped by a signal: " + signal);
            this.signal = signal;
        }
    }

    private final Plan plan;
    private final Supplier<LeaseStore> stores;
    private final Voice voice;
    private final Report report;
    private final CompletableFuture<String> stopSignal = new CompletableFuture<>();

    private @Nullable Child child;
    private @Nullable Lease lease;
    private @Nullable Cause cause;
    private int interrupts;

    Guard(Plan plan, Supplier<LeaseStore> stores, Voice voice) {
        this.plan = plan;
        this.stores = stores;
        this.voice = voice;
        this.report = new Report(plan);
    }

    Report report() {
        return report;
    }

    /** Does it all, and gives the code to exit with. The calling thread stays until the command has ended. */
    int run() throws InterruptedException {
        // Before the store is asked for anything: nothing may be left behind by a signal that comes early.
        Signals.handTo(this::signalled);
        switch (Programs.look(plan.command().get(0))) {
            case NO -> {
                voice.error(Messages.text("run.not-found", plan.command().get(0)));
                return report.ended("error", ExitCode.NOT_FOUND);
            }
            case NOT_EXECUTABLE -> {
                voice.error(Messages.text("run.not-executable", plan.command().get(0)));
                return report.ended("error", ExitCode.NOT_EXECUTABLE);
            }
            case YES -> {}
        }
        CompletableFuture<Supervisor> supervisor = inBackground(() -> {
            try {
                return Supervisor.start(plan.grace());
            } catch (IOException e) {
                throw new StoreException(Messages.text("run.no-supervisor", e), e);
            }
        });
        try {
            return underLease(supervisor);
        } catch (StoppedException e) {
            return report.ended("interrupted", ExitCode.SIGNAL + Signals.number(e.signal));
        } catch (StoreUnavailableException e) {
            report.put("message", String.valueOf(e.getMessage()));
            if (!plan.runsWithoutStore()) {
                voice.error(Messages.text("store.unavailable", e.getMessage()));
                return report.ended("error", ExitCode.UNAVAILABLE);
            }
            voice.error(Messages.text("run.without-store", e.getMessage()));
            return withoutLease(supervisor);
        } finally {
            supervisor.thenAccept(Supervisor::ended).exceptionally(e -> null);
        }
    }

    private int underLease(CompletableFuture<Supervisor> supervisor) throws StoppedException, InterruptedException {
        try (LeaseStore store = within(STORE_LIMIT, inBackground(stores));
                Leases leases =
                        Leases.builder(store).owner(plan.owner()).withoutLog().build()) {
            leases.onEvent(this::happened);
            long asked = System.nanoTime();
            Acquisition answer = within(limitOfAcquiring(), leases.acquireAsync(plan.key(), plan.leaseOptions()));
            report.putMillis("waitedMs", since(asked));
            if (answer instanceof Acquisition.Refused refused) {
                return busy(refused);
            }
            Lease granted = answer.orElseThrow();
            report.granted(granted);
            return runChild(supervisor, granted);
        }
    }

    private int withoutLease(CompletableFuture<Supervisor> supervisor) throws InterruptedException {
        try {
            return runChild(supervisor, null);
        } catch (StoppedException e) {
            return report.ended("interrupted", ExitCode.SIGNAL + Signals.number(e.signal));
        }
    }

    private Duration limitOfAcquiring() {
        return Micros.isForever(plan.patience())
                ? Micros.FOREVER
                : plan.patience().plus(STORE_LIMIT);
    }

    private int busy(Acquisition.Refused refused) {
        if (refused.answer() instanceof AcquireResult.Held held) {
            report.heldBy(held);
        }
        voice.notice(Refusal.text(refused));
        return report.ended("busy", plan.busyCode());
    }

    private int runChild(CompletableFuture<Supervisor> supervisor, @Nullable Lease granted)
            throws StoppedException, InterruptedException {
        Supervisor told = within(STORE_LIMIT, supervisor);
        long start = System.nanoTime();
        report.started(Instant.now());
        Child started;
        try {
            started = start(told, granted);
        } catch (IOException e) {
            voice.error(Messages.text("run.not-started", plan.command().get(0), e.getMessage()));
            return report.ended("error", ExitCode.NOT_EXECUTABLE);
        }
        voice.event("run:started", Map.of("pid", started.pid()));
        int code = await(started);
        report.putMillis("ranMs", since(start));
        report.put("childExitCode", code);
        Optional<Cause> why = finish(started);
        told.ended();
        if (granted != null) {
            giveBack(granted, start);
        }
        return why.filter(reason -> reason != Cause.SIGNAL)
                .map(reason -> reason == Cause.LOST
                        ? report.ended("lost", ExitCode.LOST)
                        : report.ended("timeout", ExitCode.TIMEOUT))
                .orElseGet(() -> report.ended("ran", code));
    }

    /** No command is started after a signal that asks for the end. */
    private synchronized Child start(Supervisor told, @Nullable Lease granted) throws IOException, StoppedException {
        if (stopSignal.isDone()) {
            throw new StoppedException(stopSignal.join());
        }
        told.listen(this::supervisorStops);
        Child started = Child.start(plan.command(), ChildEnvironment.of(plan, granted), plan.hasInput(), told);
        child = started;
        lease = granted;
        if (granted != null && plan.stopsOnLoss()) {
            letLive();
            granted.onLost(this::lost);
        }
        return started;
    }

    private int await(Child started) throws InterruptedException {
        if (plan.hasLimit()) {
            if (!started.awaitWithin(plan.maxRuntime())) {
                voice.notice(Messages.text("run.timeout", plan.key(), Durations.text(plan.maxRuntime())));
                stop(Cause.TIMEOUT);
            }
        }
        return started.await();
    }

    /** After the command itself has ended: waits for what it started, if that is being ended too. */
    private Optional<Cause> finish(Child started) throws InterruptedException {
        synchronized (this) {
            if (cause == null && stopSignal.isDone() && started.isGroup()) {
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

    private void giveBack(Lease granted, long start) {
        Duration left = plan.atLeast().minus(since(start));
        if (left.isNegative() || left.isZero()) {
            granted.release();
        } else {
            granted.release(left);
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /** Ends the command, in any case before somebody else can have the lease. */
    private synchronized void stop(Cause why) {
        if (cause == null && child != null) {
            cause = why;
            child.stop(plan.graceWithin(lease == null ? Duration.ZERO : lease.remaining()));
        }
    }

    private synchronized void lost(String why) {
        if (cause == null) {
            voice.error(Messages.text("run.lost", plan.key(), why));
        }
        stop(Cause.LOST);
    }

    /** Perhaps because we told it to; if not, no renewal came in time. Then it is told, so that no renewal calls it off. */
    private synchronized void supervisorStops() {
        if (cause == null) {
            voice.error(Messages.text("run.deadline", plan.key()));
            stop(Cause.LOST);
        }
    }

    private synchronized void letLive() {
        if (child != null && lease != null && cause == null && plan.stopsOnLoss()) {
            child.live(plan.undisturbed(lease.remaining()), plan.grace());
        }
    }

    private void signalled(String name) {
        Child running;
        boolean isSecond = false;
        synchronized (this) {
            running = child;
            if (Signals.isStop(name)) {
                isSecond = name.equals("INT") && ++interrupts > 1;
                stopSignal.complete(name);
            }
        }
        if (running != null) {
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
        } else if (event instanceof LeaseEvent.Retry retry && retry.reason() == LeaseEvent.Reason.CONTENDED) {
            voice.detail(Messages.text("run.waiting", plan.key()));
        } else if (event instanceof LeaseEvent.CleanupWarning warning) {
            voice.notice(warning.message());
        } else if (event instanceof LeaseEvent.Lost lost) {
            fields.put("why", lost.why());
            if (!plan.stopsOnLoss()) {
                voice.notice(Messages.text("run.lost-warning", plan.key(), lost.why()));
            }
        }
        voice.event(event.type(), fields);
    }

    private static <T> CompletableFuture<T> inBackground(Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(task.get());
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                },
                "leasehold-start");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    /** Waits for something that must be there before the command can start, and for no longer than until a signal. */
    private <T> T within(Duration limit, CompletableFuture<T> future) throws StoppedException, InterruptedException {
        try {
            CompletableFuture.anyOf(future, stopSignal).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new StoreUnavailableException(Messages.text("store.timeout", Durations.text(limit)), e);
        } catch (ExecutionException e) {
            throw translated(e.getCause());
        }
        if (stopSignal.isDone()) {
            future.cancel(true);
            throw new StoppedException(stopSignal.join());
        }
        return future.join();
    }

    private static RuntimeException translated(@Nullable Throwable cause) {
        if (cause instanceof LeaseException e && e.getCause() instanceof StoreException store) {
            return store;
        }
        if (cause instanceof LeaseException e) {
            return new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
        return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
    }
}
