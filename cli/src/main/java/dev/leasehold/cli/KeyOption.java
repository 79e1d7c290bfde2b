package dev.leasehold.cli;

import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which key a command is about, for those that name it by an option. */
final class KeyOption {
    @Option(
            names = {"-k", "--key"},
            required = true,
            paramLabel = "KEY",
            descriptionKey = "key",
            converter = Keys.class)
    private @Nullable Key key;

    Key get() {
        return Keys.required(key);
    }
}
