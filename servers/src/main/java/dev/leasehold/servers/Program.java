package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** How to run one kind of server. */
interface Program {
    /** For the names of directories. */
    String name();

    /** Whether its data need not be on a disk. */
    boolean isRelaxed();

    /** Which file of libfaketime it runs with, if its clock is to be movable. */
    Optional<String> clockLibrary();

    /** Fills the directory that will hold the data; it exists and is empty. */
    void prepare(Path data) throws IOException;

    List<String> command(Path data, int port);

    /** Whether the server at the port is the one with this data. Any exception means: not yet. */
    boolean answers(Path data, int port) throws Exception;

    /** The signal that ends it in order. */
    String gentleSignal();

    /** The signal that ends it at once, with nothing left behind in the operating system. */
    String abruptSignal();

    /** Files that tell of a running process and must not be in data that is put back. */
    Set<String> marksOfLife();
}
