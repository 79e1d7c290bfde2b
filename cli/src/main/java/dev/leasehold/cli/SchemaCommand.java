package dev.leasehold.cli;

import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold schema}: prints the statements that make a store's tables, or runs them. */
@Command(name = "schema", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class SchemaCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Option(names = "--apply")
    private boolean isApplied;

    @Override
    public Integer call() {
        StoreUrl url = store.url();
        StoreProvider provider = Stores.provider(url);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("store", url.toString());
        Optional<String> script = provider.schema(url);
        if (isApplied) {
            store.createSchema();
            fields.put("applied", true);
            output.answer(Messages.text("schema.applied", url), fields);
        } else if (script.isPresent()) {
            fields.put("schema", script.get());
            if (output.isJson()) {
                output.printJson(fields);
            } else {
                output.print(script.get().stripTrailing());
            }
        } else {
            fields.put("schema", null);
            output.deny(Messages.text("schema.none", url), fields);
        }
        return 0;
    }
}
