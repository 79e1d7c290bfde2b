package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code leasehold run}: any command, while a lease is held. */
@Command(name = "run", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    private static final Duration USUAL_GRACE = Duration.ofSeconds(10);

    enum OnLost {
        stop,
        warn
    }

    enum OnStoreError {
        fail,
        run
    }

    enum Renew {
        auto,
        off
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Option(
            names = {"-k", "--key"},
            required = true,
            paramLabel = "KEY",
            converter = Keys.class)
    private @Nullable Key key;

    @Option(names = "--ttl", paramLabel = "TIME", defaultValue = "300", converter = Durations.class)
    private Duration ttl = Duration.ZERO;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "TIME",
            defaultValue = "0",
            converter = Durations.class)
    private Duration wait = Duration.ZERO;

    @Option(names = "--at-least", paramLabel = "TIME", defaultValue = "0", converter = Durations.class)
    private Duration atLeast = Duration.ZERO;

    @Option(names = "--max-runtime", paramLabel = "TIME", converter = Durations.class)
    private Duration maxRuntime = Micros.FOREVER;

    @Option(names = "--grace", paramLabel = "TIME", converter = Durations.class)
    private @Nullable Duration grace;

    @Option(names = "--renew", paramLabel = "auto|off", defaultValue = "auto")
    private Renew renew = Renew.auto;

    @Option(names = "--on-lost", paramLabel = "stop|warn", defaultValue = "stop")
    private OnLost onLost = OnLost.stop;

    @Option(names = "--on-store-error", paramLabel = "fail|run", defaultValue = "fail")
    private OnStoreError onStoreError = OnStoreError.fail;

    @Option(
            names = {"-E", "--busy-exit-code"},
            paramLabel = "CODE",
            defaultValue = "${env:LEASEHOLD_BUSY_EXIT_CODE:-1}")
    private int busyCode = ExitCode.BUSY;

    @Option(names = "--skip-ok")
    private boolean isSkipOk;

    @Option(names = "--owner", paramLabel = "NAME", converter = Owners.class)
    private @Nullable Owner owner;

    @Option(names = "--shell")
    private boolean isShell;

    @Option(names = "--no-stdin")
    private boolean isWithoutInput;

    @Option(names = "--json")
    private boolean isJson;

    @Option(names = "--report", paramLabel = "FILE")
    private @Nullable Path reportFile;

    @Option(names = {"-q", "--quiet"})
    private boolean isQuiet;

    @Option(names = {"-v", "--verbose"})
    private boolean isVerbose;

    @Option(names = "--dry-run")
    private boolean isDryRun;

    @Parameters(arity = "1..*", paramLabel = "COMMAND")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() throws InterruptedException {
        Plan plan = plan();
        try (Voice voice = new Voice(isQuiet, isVerbose, isJson)) {
            return isDryRun ? DryRun.of(plan, store, voice) : run(plan, voice);
        }
    }

    private int run(Plan plan, Voice voice) throws InterruptedException {
        Guard guard = new Guard(plan, store::open, voice);
        try {
            return guard.run();
        } finally {
            voice.event("run:ended", guard.report().fields());
            if (reportFile != null) {
                write(guard.report(), reportFile, voice);
            }
        }
    }

    /** The command's own code counts for more than a report that could not be written. */
    private static void write(Report report, Path file, Voice voice) {
        try {
            report.writeTo(file);
        } catch (IOException e) {
            voice.error(Messages.text("run.no-report", file, e));
        }
    }

    private Plan plan() {
        Key given = key;
        if (given == null) {
            throw usage("run.no-key");
        }
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0) {
            throw usage("run.short-ttl", Durations.text(ttl));
        }
        Duration third = ttl.dividedBy(3);
        Duration chosen = grace != null ? grace : third.compareTo(USUAL_GRACE) < 0 ? third : USUAL_GRACE;
        if (chosen.compareTo(third) > 0) {
            throw usage("run.long-grace", Durations.text(chosen), Durations.text(ttl));
        }
        if (busyCode < 0 || busyCode > 255) {
            throw usage("run.busy-code", Integer.toString(busyCode));
        }
        if (!atLeast.isZero() && store.url().scheme().equals("worker-lock")) {
            throw usage("run.no-cooldown");
        }
        return new Plan(
                given,
                owner != null ? owner : ThisMachine.owner(),
                isShell ? List.of("/bin/sh", "-c", String.join(" ", command)) : command,
                ttl,
                wait,
                chosen,
                atLeast,
                maxRuntime,
                renew == Renew.auto,
                onLost == OnLost.stop,
                onStoreError == OnStoreError.run,
                !isWithoutInput,
                isSkipOk ? 0 : busyCode);
    }

    private ParameterException usage(String message, String... data) {
        if (spec == null) {
            throw new IllegalStateException(message);
        }
        return new ParameterException(spec.commandLine(), Messages.text(message, (Object[]) data));
    }
}
