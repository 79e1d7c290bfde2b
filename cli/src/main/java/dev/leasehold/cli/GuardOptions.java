package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** How a command is run under a lease, whatever the lease is for. */
final class GuardOptions {
    private static final Duration USUAL_GRACE = Duration.ofSeconds(10);

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            descriptionKey = "leasehold.run.ttl",
            defaultValue = "300",
            converter = Durations.class)
    private Duration ttl = Duration.ZERO;

    @Option(
            names = {"-w", "--wait"},
            paramLabel = "TIME",
            descriptionKey = "leasehold.run.wait",
            defaultValue = "0",
            converter = Durations.class)
    private Duration wait = Duration.ZERO;

    @Option(
            names = "--max-runtime",
            paramLabel = "TIME",
            descriptionKey = "leasehold.run.max-runtime",
            converter = Durations.class)
    private Duration maxRuntime = Micros.FOREVER;

    @Option(names = "--grace", paramLabel = "TIME", descriptionKey = "leasehold.run.grace", converter = Durations.class)
    private @Nullable Duration grace;

    @Option(
            names = {"-E", "--busy-exit-code"},
            paramLabel = "CODE",
            descriptionKey = "leasehold.run.busy-exit-code",
            defaultValue = "${env:LEASEHOLD_BUSY_EXIT_CODE:-1}")
    private int busyCode = ExitCode.BUSY;

    @Option(names = "--skip-ok", descriptionKey = "leasehold.run.skip-ok")
    private boolean isSkipOk;

    @Option(names = "--owner", paramLabel = "NAME", descriptionKey = "leasehold.run.owner", converter = Owners.class)
    private @Nullable Owner owner;

    @Option(names = "--shell", descriptionKey = "leasehold.run.shell")
    private boolean isShell;

    @Option(names = "--no-stdin", descriptionKey = "leasehold.run.no-stdin")
    private boolean isWithoutInput;

    @Option(names = "--json", descriptionKey = "leasehold.run.json")
    private boolean isJson;

    @Option(names = "--report", paramLabel = "FILE", descriptionKey = "leasehold.run.report")
    private @Nullable Path reportFile;

    @Option(
            names = {"-q", "--quiet"},
            descriptionKey = "leasehold.run.quiet")
    private boolean isQuiet;

    @Option(
            names = {"-v", "--verbose"},
            descriptionKey = "leasehold.run.verbose")
    private boolean isVerbose;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", descriptionKey = "leasehold.run.COMMAND[0..*]")
    private List<String> command = new ArrayList<>();

    Plan plan(Key key) {
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0) {
            throw misuse("run.short-ttl", Durations.text(ttl));
        }
        Duration third = ttl.dividedBy(3);
        Duration chosen = grace != null ? grace : third.compareTo(USUAL_GRACE) < 0 ? third : USUAL_GRACE;
        if (chosen.compareTo(third) > 0) {
            throw misuse("run.long-grace", Durations.text(chosen), Durations.text(ttl));
        }
        if (busyCode < 0 || busyCode > 255) {
            throw misuse("run.busy-code", busyCode);
        }
        return new Plan(
                key,
                owner != null ? owner : ThisMachine.owner(),
                isShell ? List.of("/bin/sh", "-c", String.join(" ", command)) : command,
                ttl,
                wait,
                chosen,
                maxRuntime,
                true,
                true,
                false,
                !isWithoutInput,
                isSkipOk ? 0 : busyCode);
    }

    Voice voice() {
        return new Voice(isQuiet, isVerbose, isJson);
    }

    /** Runs it, and tells how it went in the ways that were asked for. */
    int run(Plan plan, StoreOptions store, Purpose purpose) throws InterruptedException {
        try (Voice voice = voice()) {
            Guard guard = new Guard(plan, store, voice, purpose);
            try {
                return guard.run();
            } finally {
                voice.event("run:ended", guard.report().fields());
                write(guard.report(), voice);
            }
        }
    }

    /** The command's own code counts for more than a report that could not be written. */
    private void write(Report report, Voice voice) {
        if (reportFile == null) {
            return;
        }
        try {
            report.writeTo(reportFile);
        } catch (IOException e) {
            voice.error(Messages.text("run.no-report", reportFile, e));
        }
    }

    ParameterException misuse(String message, Object... data) {
        if (spec == null) {
            throw new IllegalStateException(message);
        }
        return new ParameterException(spec.commandLine(), Messages.text(message, data));
    }
}
