package dev.leasehold.faults;

import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Other libraries under some of the same faults, through the same proxy. */
final class Peers {
    private static final List<String> FAULTS = List.of("stop", "lost-replies", "restart");

    private Peers() {}

    static List<PeerReport> run(Path home, SplittableRandom seeds) throws Exception {
        List<PeerReport> reports = new ArrayList<>();
        for (PeerKind peer : PeerKind.values()) {
            run(peer, home, seeds, reports);
        }
        return reports;
    }

    private static void run(PeerKind peer, Path home, SplittableRandom seeds, List<PeerReport> reports)
            throws Exception {
        Path work = Files.createTempDirectory(Files.createDirectories(home), peer + "-")
                .toAbsolutePath();
        try (FencedResource resource = new FencedResource();
                Bed bed = peer.store.open(work, seeds.nextLong())) {
            resource.compareFences(false);
            createTable(bed, peer);
            try (Crew crew = hire(bed, peer, resource, work)) {
                Cell cell = new Cell(bed, crew, resource, work);
                for (FaultCase fault : Faults.on(bed, FAULTS)) {
                    long seed = seeds.nextLong();
                    Path directory = Files.createDirectory(work.resolve(fault.name()));
                    reports.add(PeerReport.of(peer, fault, seed, cell.play(fault, fault.name(), seed, directory)));
                }
            }
        }
    }

    private static Crew hire(Bed bed, PeerKind peer, FencedResource resource, Path work)
            throws IOException, InterruptedException {
        return Crew.start(
                work,
                (number, clocks) -> ChildJvm.start(PeerWorker.class, bed.url(number), peer.name(), resource.port()));
    }

    private static void createTable(Bed bed, PeerKind peer) throws SQLException {
        if (peer.table.isEmpty()) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(bed.directUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(peer.table);
        }
    }
}
