package dev.leasehold.servers.opensearch;

import java.util.concurrent.CountDownLatch;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/** Runs one node on the loopback address until the process is told to end: {@code Main DIRECTORY PORT}. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        OpenSearchRunner runner = new OpenSearchRunner();
        runner.onBuild((number, settings) -> settings.put("http.port", arguments[1])
                .put("network.host", "127.0.0.1")
                .put("discovery.type", "single-node")
                // A disk that is nearly full makes indices read-only; that is not what is looked at here.
                .put("cluster.routing.allocation.disk.threshold_enabled", false));
        runner.build(OpenSearchRunner.newConfigs()
                .basePath(arguments[0])
                .clusterName("leasehold")
                .numOfNode(1)
                .disableESLogger());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(runner)));
        new CountDownLatch(1).await();
    }

    private static void close(OpenSearchRunner runner) {
        try {
            runner.close();
        } catch (Exception e) {
            System.err.println("The node did not end in order: " + e);
        }
    }
}
