package dev.leasehold.faults;

import dev.leasehold.servers.Trees;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A store with everything that its cells need, for as many cells as wanted. Confined to one thread. */
final class Stage implements AutoCloseable {
    private static final long ROOM_BYTES = 256L << 20;

    private final FencedResource resource;
    private final Bed bed;
    private final Path data;
    private final Crew crew;
    private final Cell cell;
    private int cells;

    private Stage(FencedResource resource, Bed bed, Path data, Crew crew, Path histories) {
        this.resource = resource;
        this.bed = bed;
        this.data = data;
        this.crew = crew;
        this.cell = new Cell(bed, crew, resource, histories);
    }

    static Stage open(StoreKind store, Path home, long seed) throws Exception {
        Path work = Files.createTempDirectory(Files.createDirectories(home), store + "-")
                .toAbsolutePath();
        FencedResource resource = new FencedResource();
        Path data = Files.createTempDirectory(place(work), "leasehold-faults-");
        Bed bed = store.open(data, seed);
        boolean isTroubled = bed.proxy().isEmpty();
        Crew crew = Crew.start(
                work,
                (number, clocks) -> ChildJvm.start(Worker.class, bed.url(number), clocks, resource.port(), isTroubled));
        return new Stage(resource, bed, data, crew, work);
    }

    /**
     * From now on, all have a bug.
     *
     * @param sabotage a class to be planted in each worker; empty for none
     * @param isFenced whether the resource compares fences
     */
    void plant(String sabotage, boolean isFenced) {
        crew.plant(sabotage);
        resource.compareFences(isFenced);
    }

    /** Processes are killed here, not machines; so a store in files may lie in memory, where no disk holds it up. */
    private static Path place(Path other) throws IOException {
        Path memory = Path.of("/dev/shm");
        boolean hasRoom = Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= ROOM_BYTES;
        return hasRoom ? memory : other;
    }

    /** The faults that fit here, of these names; all if no name is given. */
    List<FaultCase> faults(List<String> names) {
        return Faults.on(bed, names);
    }

    CellReport run(FaultCase fault, long seed) throws Exception {
        return cell.run(fault, ++cells, seed);
    }

    @Override
    public void close() throws IOException {
        crew.close();
        bed.close();
        resource.close();
        Trees.delete(data);
    }
}
