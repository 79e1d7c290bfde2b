package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A contestant with its clients open and its threads' workers ready. */
final class Team implements AutoCloseable {
    final Contestant contestant;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    private Team(Contestant contestant) {
        this.contestant = contestant;
    }

    static Team open(Contestant contestant, DataSource source, StoreKind store, Cell cell) throws Exception {
        Team team = new Team(contestant);
        for (int i = 0; i < cell.nodes; i++) {
            Node node = contestant.open(source, store, cell);
            team.nodes.add(node);
            for (int j = 0; j < cell.threads; j++) {
                team.workers.add(node.worker());
            }
        }
        return team;
    }

    List<Worker> workers() {
        return workers;
    }

    @Override
    public void close() throws SQLException {
        for (Worker worker : workers) {
            worker.close();
        }
        for (Node node : nodes) {
            node.close();
        }
    }
}
