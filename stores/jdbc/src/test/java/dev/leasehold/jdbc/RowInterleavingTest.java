package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Cell;
import dev.leasehold.tck.interleaving.InterleavingContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
@DisplayName("Interleavings on rows of the user's:")
@ParameterizedClass(name = "{0}")
@MethodSource("places")
class RowInterleavingTest extends InterleavingContract {
    @TempDir
    private static Path directory;

    @Parameter
    private Place place;

    private record Place(Kind kind, RivalRows rows) {}

    static List<Place> places() {
        return List.of(Kind.values()).stream()
                .flatMap(kind -> List.of(RivalRows.values()).stream().map(rows -> new Place(kind, rows)))
                .toList();
    }

    /** An acquire on worker_lock deletes all that has expired, so each arena has a database of its own. */
    @Override
    protected Arena arena(Duration callLimit) throws Exception {
        TestDatabase database = place.kind().fresh(Files.createTempDirectory(directory, "arena"));
        return new RowArena(database, place.rows(), callLimit);
    }

    @Override
    protected int arenas() {
        return 4;
    }

    @Override
    protected List<Cell> cells() {
        return super.cells().stream().filter(place.rows()::has).toList();
    }

    @Override
    protected boolean locksRecords() {
        return false;
    }

    /** Calls on rows do not wait for a lock, or hardly ever. */
    @Override
    protected int fewestThatWait(int cells) {
        return 0;
    }
}
