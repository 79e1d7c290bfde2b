package dev.leasehold.jdbc;

import java.nio.file.Path;

/** The databases that traps are laid for. */
enum Kind {
    POSTGRESQL,
    MARIADB,
    SQLITE,
    H2;

    /** A fresh database of this kind; embedded ones in this directory. */
    TestDatabase fresh(Path directory) {
        return switch (this) {
            case POSTGRESQL -> TestDatabase.postgres(18);
            case MARIADB -> TestDatabase.mariaDb();
            case SQLITE -> TestDatabase.sqlite(directory);
            case H2 -> TestDatabase.h2(directory);
        };
    }

    /** The same, for several processes at once. */
    TestDatabase shared(Path directory) {
        return this == H2 ? TestDatabase.sharedH2(directory) : fresh(directory);
    }
}
