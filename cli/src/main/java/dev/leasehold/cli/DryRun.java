package dev.leasehold.cli;

import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import java.util.Optional;

/** Says what a run would do, and changes nothing: neither a lease nor a process. */
final class DryRun {
    private DryRun() {}

    static int of(Plan plan, StoreOptions options, Voice voice) {
        String program = plan.command().get(0);
        switch (Programs.look(program)) {
            case NO -> {
                voice.error(Messages.text("run.not-found", program));
                return ExitCode.NOT_FOUND;
            }
            case NOT_EXECUTABLE -> {
                voice.error(Messages.text("run.not-executable", program));
                return ExitCode.NOT_EXECUTABLE;
            }
            case YES -> {}
        }
        try (LeaseStore store = options.open()) {
            Optional<LeaseSnapshot> held = store.find(plan.key()).filter(LeaseSnapshot::isHeld);
            if (held.isPresent() && plan.patience().isZero()) {
                voice.notice(Messages.text(
                        "run.would-be-busy",
                        plan.key(),
                        Durations.text(held.get().remaining())));
                return plan.busyCode();
            }
            voice.notice(Messages.text(
                    held.isPresent() ? "run.would-wait" : "run.would-run",
                    plan.key(),
                    options.url(),
                    String.join(" ", plan.command())));
            return 0;
        }
    }
}
