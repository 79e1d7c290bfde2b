package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A database program in the cache.
 *
 * @param programs where it was unpacked
 * @param template its data as they are after the first start, with the password beside them
 */
record Installation(Path programs, Path template) {
    static final String DATA = "data";
    static final String PASSWORD = "password";

    /** Makes the first data. */
    interface Initializer {
        /** Fills an empty directory with {@link #DATA} and {@link #PASSWORD}. */
        void fill(Path programs, Path directory) throws IOException;
    }

    /**
     * The one that is there, or else a new one.
     *
     * @param version stands for the content of the programs
     * @param templateVersion to be raised when the initializer changes
     */
    static Installation of(String version, int templateVersion, Cache.Maker unpacker, Initializer initializer) {
        Cache cache = Cache.ofUser();
        Path programs = cache.directory(version, unpacker);
        Path template = cache.directory(
                version + "-data-" + templateVersion, directory -> initializer.fill(programs, directory));
        return new Installation(programs, template);
    }

    /** A file of the program's. */
    String program(String file) {
        return programs.resolve(file).toString();
    }

    String password() {
        return Passwords.in(template.resolve(PASSWORD));
    }

    void copyData(Path to) {
        Trees.delete(to);
        Trees.copy(template.resolve(DATA), to);
    }
}
