package dev.leasehold.servers;

import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;

/** An OpenSearch node. Needs the module {@code leasehold-opensearch-server} on the class path. */
public final class OpenSearchServer extends Server {
    private final Instance instance;

    private OpenSearchServer(Instance instance) {
        super(instance, "", false);
        this.instance = instance;
    }

    /** A node of one's own. Takes some ten seconds. */
    public static OpenSearchServer start() {
        return new OpenSearchServer(Instance.start(new OpenSearchProgram()));
    }

    /** A node whose indices stay in this directory, also after it is closed. */
    public static OpenSearchServer keeping(Path directory) {
        return new OpenSearchServer(Instance.startKeeping(new OpenSearchProgram(), directory));
    }

    /** Where it is; it asks nobody for a password. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + instance.port());
    }

    @Override
    public Instant time() {
        return Instant.now(); // Its clock is this machine's.
    }
}
