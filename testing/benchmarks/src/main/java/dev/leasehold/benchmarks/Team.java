package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** A contestant's clients, open, with their threads' workers ready. */
final class Team<W extends Worker> implements AutoCloseable {
    private final List<Node<W>> nodes = new ArrayList<>();
    private final List<W> workers = new ArrayList<>();

    private Team() {}

    static <W extends Worker> Team<W> open(Callable<Node<W>> client, Cell cell) throws Exception {
        Team<W> team = new Team<>();
        try {
            for (int i = 0; i < cell.nodes; i++) {
                Node<W> node = client.call();
                team.nodes.add(node);
                for (int j = 0; j < cell.threads; j++) {
                    team.workers.add(node.worker());
                }
            }
            return team;
        } catch (Exception e) {
            team.close();
            throw e;
        }
    }

    List<W> workers() {
        return workers;
    }

    @Override
    public void close() throws SQLException {
        for (W worker : workers) {
            worker.close();
        }
        for (Node<W> node : nodes) {
            node.close();
        }
    }
}
