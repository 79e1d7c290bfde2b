package dev.leasehold.cli;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leasehold show}: all that is known of one key. */
@Command(name = "show", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class ShowCommand implements Callable<Integer> {
    private static final int LINES_OF_HISTORY = 10;

    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Parameters(arity = "1", paramLabel = "KEY", descriptionKey = "KEY", converter = Keys.class)
    private @Nullable Key key;

    @Override
    public Integer call() throws InterruptedException {
        Key wanted = Keys.required(key);
        try (LeaseStore opened = store.openInTime()) {
            Optional<LeaseSnapshot> found = opened.find(wanted);
            if (found.isEmpty()) {
                output.deny(Messages.text("show.absent", wanted), Map.of("key", wanted.value(), "state", "absent"));
                return ExitCode.BUSY;
            }
            List<HistoryEntry> history =
                    opened.history().map(kept -> latest(kept, wanted)).orElse(List.of());
            if (output.isJson()) {
                output.printJson(fields(found.get(), history));
            } else {
                print(new LeaseView(found.get()), history);
            }
            return 0;
        }
    }

    private static List<HistoryEntry> latest(History kept, Key key) {
        List<HistoryEntry> entries =
                new ArrayList<>(kept.read(HistoryRequest.of(key).withLimit(LINES_OF_HISTORY)));
        Collections.reverse(entries);
        return entries;
    }

    private static Map<String, Object> fields(LeaseSnapshot found, List<HistoryEntry> history) {
        Map<String, Object> fields = new LeaseView(found).fields();
        List<Object> line = new ArrayList<>();
        for (Place place : found.record().line()) {
            Map<String, Object> waiter = new LinkedHashMap<>();
            waiter.put("owner", place.owner().label());
            waiter.put("waitingMs", waiting(found, place).toMillis());
            line.add(waiter);
        }
        fields.put("line", line);
        fields.put("history", history.stream().map(Entries::fields).toList());
        return fields;
    }

    private static Duration waiting(LeaseSnapshot found, Place place) {
        return Micros.toDuration(Math.max(0, found.nowMicros() - place.sinceMicros()));
    }

    private void print(LeaseView view, List<HistoryEntry> history) {
        LeaseSnapshot found = view.found();
        Table table = new Table(output.isColoured());
        row(table, "key", found.key().value());
        row(table, "state", view.standing().toString());
        if (!view.row().get(2).equals("-")) {
            row(table, "owner", view.owner().map(Owner::label).orElse("?"));
            row(
                    table,
                    "since",
                    Times.moment(Instant.now().minus(found.heldFor())) + " (" + Durations.text(found.heldFor()) + ")");
            row(table, "ttl", Durations.text(view.ttl()));
        }
        row(table, "left", view.left());
        row(table, "fence", found.record().fence().toString());
        row(table, "attempts", Integer.toString(found.record().progress().attempts()));
        row(table, "waiting", Integer.toString(found.record().line().size()));
        for (Place place : found.record().line()) {
            table.row("", place.owner().label() + " (" + Durations.text(waiting(found, place)) + ")");
        }
        Payload answer = found.record().progress().payload();
        if (answer != null) {
            row(table, "answer", Messages.text("show.bytes", answer.size()));
        }
        output.print(table.toString());
        if (!history.isEmpty()) {
            output.print("");
            output.print(Entries.table(history, false, output.isColoured()).toString());
        }
    }

    private static void row(Table table, String name, String value) {
        table.row(Messages.text("column." + name), value);
    }
}
