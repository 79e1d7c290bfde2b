package dev.leasehold.spring.store;

import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.MissingSchemaException;
import org.jspecify.annotations.Nullable;

/** Says how an application gets the tables that it lacks. */
final class MissingTables {
    private MissingTables() {}

    /** The failure of the start, with the statements to run if they are known. */
    static StartException explain(MissingSchemaException missing, @Nullable String statements) {
        String property = "Set leasehold.create-tables=true";
        return new StartException(
                missing.what(),
                statements == null
                        ? property + "."
                        : property + ", or run these statements, for example in a migration of your own:\n\n"
                                + statements,
                missing);
    }
}
