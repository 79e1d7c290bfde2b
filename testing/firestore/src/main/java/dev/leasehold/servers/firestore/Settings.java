package dev.leasehold.servers.firestore;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link FirestoreServer}.
 *
 * @param port the port on the loopback address; 0 for any free one
 * @param mode the concurrency mode of transactions that ask for none
 * @param file the journal; null keeps documents in memory only
 * @param sync whether each commit waits for the disk
 * @param clock the server's wall clock; times that the server gives out never go back, even if it does
 * @param timers the time limits
 * @param indexes the declared indexes
 */
public record Settings(
        int port,
        Mode mode,
        @Nullable Path file,
        boolean sync,
        InstantSource clock,
        Timers timers,
        List<Index> indexes) {
    /** A free port, pessimistic, in memory, by the system's clock, with the documented limits and no index. */
    public static final Settings DEFAULT =
            new Settings(0, Mode.PESSIMISTIC, null, true, InstantSource.system(), Timers.DOCUMENTED, List.of());

    /** Copies the indexes. */
    public Settings {
        indexes = List.copyOf(indexes);
    }

    /** The same with another port. */
    public Settings withPort(int port) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same with another concurrency mode. */
    public Settings withMode(Mode mode) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same with a journal. */
    public Settings withFile(Path file) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same, where a commit waits for the disk or not. */
    public Settings withSync(boolean sync) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same with another clock. */
    public Settings withClock(InstantSource clock) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same with other time limits. */
    public Settings withTimers(Timers timers) {
        return new Settings(port, mode, file, sync, clock, timers, indexes);
    }

    /** The same with these declared indexes. */
    public Settings withIndexes(Index... indexes) {
        return new Settings(port, mode, file, sync, clock, timers, List.of(indexes));
    }
}
