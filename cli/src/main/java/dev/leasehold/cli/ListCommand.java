package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.State;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold list}: what is held, and by whom. */
@Command(name = "list", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
    enum Wanted {
        current,
        held,
        settled,
        free,
        all;

        Set<State> states() {
            return switch (this) {
                case held -> EnumSet.of(State.HELD);
                case settled -> EnumSet.of(State.DONE, State.FAILED, State.HOLD);
                case current -> EnumSet.complementOf(EnumSet.of(State.FREE));
                // What is over counts as free, whatever it was.
                case free, all -> EnumSet.allOf(State.class);
            };
        }

        boolean covers(LeaseView.Standing standing) {
            boolean isHeld = standing == LeaseView.Standing.HELD;
            return switch (this) {
                case held -> isHeld;
                case settled -> standing.isSettled();
                case current -> isHeld || standing.isSettled();
                case free -> !isHeld && !standing.isSettled();
                case all -> true;
            };
        }
    }

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Parameters(
            arity = "0..1",
            paramLabel = "PREFIX",
            descriptionKey = "PREFIX",
            defaultValue = "",
            converter = Prefixes.class)
    private String prefix = "";

    @Option(names = "--state", paramLabel = "STATE", defaultValue = "current")
    private Wanted wanted = Wanted.current;

    private int count;

    @Override
    public Integer call() throws InterruptedException {
        try (LeaseStore opened = store.openInTime()) {
            @Nullable Key last = null;
            do {
                Page page = opened.list(new ListRequest(prefix, wanted.states(), last, ListRequest.MAX_LIMIT));
                show(page.records().stream()
                        .map(LeaseView::new)
                        .filter(view -> wanted.covers(view.standing()))
                        .toList());
                last = page.next();
            } while (last != null && !output.isCutOff());
        }
        if (output.isJson()) {
            output.print(count == 0 ? "[]" : "]");
        } else if (count == 0) {
            output.say(Messages.text(wanted == Wanted.all ? "list.empty" : "list.none"));
        }
        return 0;
    }

    /** Page by page, because there may be any number: the columns of each are as wide as that page needs. */
    private void show(List<LeaseView> views) {
        if (views.isEmpty()) {
            return;
        }
        if (output.isJson()) {
            for (LeaseView view : views) {
                output.print((count++ == 0 ? "[" : ",") + Json.text(view.fields()));
            }
            return;
        }
        Table table = new Table(output.isColoured());
        if (count == 0) {
            table.heading("key", "state", "owner", "since", "left", "waiting", "fence");
        }
        views.forEach(view -> table.row(view.row()));
        output.print(table.toString());
        count += views.size();
    }
}
