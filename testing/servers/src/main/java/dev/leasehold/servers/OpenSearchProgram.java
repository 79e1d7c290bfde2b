package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** How to run one OpenSearch node. */
final class OpenSearchProgram extends JavaProgram {
    private static final int HEAP_MEGABYTES = 512;
    private static final int OK = 200;

    OpenSearchProgram() {
        super("opensearch", HEAP_MEGABYTES);
    }

    @Override
    void prepare(Path data) {
        // The node makes what it needs.
    }

    @Override
    List<String> mainClass(Path data, int port) {
        return List.of("dev.leasehold.servers.opensearch.Main", data.toString(), Integer.toString(port));
    }

    @Override
    boolean answers(Path data, int port) throws IOException {
        return status(port, "/_cluster/health?wait_for_status=yellow&timeout=1s") == OK;
    }

    @Override
    Set<String> marksOfLife() {
        return Set.of("node_1/data/nodes/0/node.lock");
    }
}
