package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How to run one kind of server. */
abstract class Program {
    final Config config;
    private final String name;
    private final String clockLibrary;

    /**
     * @param name for the names of directories
     * @param clockLibrary the file of libfaketime that it can run with
     */
    Program(String name, Config config, String clockLibrary) {
        this.name = name;
        this.config = config;
        this.clockLibrary = clockLibrary;
    }

    final String name() {
        return name;
    }

    /** Whether its data need not be on a disk. */
    final boolean isRelaxed() {
        return config.isRelaxed();
    }

    /** What it runs with, if its clock is to be movable. */
    final Optional<String> clockLibrary() {
        return config.hasMovableClock() ? Optional.of(clockLibrary) : Optional.empty();
    }

    /** Fills the directory that will hold the data; it exists and is empty. */
    abstract void prepare(Path data) throws IOException;

    abstract List<String> command(Path data, int port);

    /** Whether the server at the port is the one with this data. Any exception means: not yet. */
    abstract boolean answers(Path data, int port) throws Exception;

    /** The signal that ends it in order. */
    abstract String gentleSignal();

    /** The signal that ends it at once, with nothing left behind in the operating system. */
    abstract String abruptSignal();

    /** Files that tell of a running process and must not be in data that is put back. */
    abstract Set<String> marksOfLife();
}
