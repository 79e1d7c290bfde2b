package dev.leasehold.cli;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code leasehold history}: what happened to keys, the latest last. */
@Command(name = "history", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class HistoryCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Parameters(arity = "0..1", paramLabel = "KEY", descriptionKey = "KEY", converter = Keys.class)
    private @Nullable Key key;

    @Option(names = "--prefix", paramLabel = "PREFIX", defaultValue = "", converter = Prefixes.class)
    private String prefix = "";

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            defaultValue = "50")
    private int limit = 50;

    @Option(names = "--kind", paramLabel = "KIND", split = ",", converter = Kinds.class)
    private Set<HistoryKind> kinds = new LinkedHashSet<>();

    @Override
    public Integer call() throws InterruptedException {
        if (limit < 1) {
            throw output.misuse("history.limit", limit);
        }
        if (key != null && !prefix.isEmpty()) {
            throw output.misuse("history.key-or-prefix");
        }
        List<HistoryEntry> entries;
        try (LeaseStore opened = store.openInTime()) {
            entries = read(Entries.of(opened));
        }
        if (output.isJson()) {
            output.printJson(entries.stream().map(Entries::fields).toList());
        } else if (entries.isEmpty()) {
            output.say(Messages.text("history.empty"));
        } else {
            output.print(
                    Entries.table(entries, key == null, output.isColoured()).toString());
        }
        return 0;
    }

    private List<HistoryEntry> read(History history) {
        List<HistoryEntry> entries = new ArrayList<>();
        long last = 0;
        while (entries.size() < limit) {
            int most = Math.min(limit - entries.size(), HistoryRequest.MAX_LIMIT);
            List<HistoryEntry> page =
                    history.read(new HistoryRequest(key, prefix, kinds, HistoryRequest.Order.NEWEST_FIRST, last, most));
            entries.addAll(page);
            if (page.size() < most) {
                break;
            }
            last = page.get(page.size() - 1).number();
        }
        Collections.reverse(entries);
        return entries;
    }
}
