package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a command with servers that keep their data: {@code WithServers DIRECTORY [postgres] [s3] [opensearch] -- COMMAND}.
 * The command finds them by its environment; they end after it. The exit code is the command's.
 */
public final class WithServers {
    private static final String BUCKET = "mocs";
    private static final int END_SECONDS = 40;

    private WithServers() {}

    @SuppressWarnings("SystemOut") // A program for people.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> all = List.of(arguments);
        int end = all.indexOf("--");
        if (end < 1 || end == all.size() - 1) {
            System.err.println("Usage: WithServers DIRECTORY [postgres] [s3] [opensearch] -- COMMAND");
            System.exit(64);
        }
        Path directory =
                Files.createDirectories(Path.of(all.get(0)).toAbsolutePath()).toRealPath();
        ProcessBuilder builder = new ProcessBuilder(all.subList(end + 1, all.size())).inheritIO();
        for (String server : all.subList(1, end)) {
            System.err.println("Starting " + server + ", data in " + directory.resolve(server));
            start(server, directory.resolve(server), builder.environment());
        }
        Process command = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(command)));
        System.exit(command.waitFor());
    }

    /** Servers end when this process does. */
    private static void start(String server, Path directory, Map<String, String> environment) {
        switch (server) {
            case "postgres" -> {
                PostgresServer postgres = PostgresServer.keeping(17, directory);
                environment.put("SPRING_DATASOURCE_URL", postgres.url());
                environment.put("SPRING_DATASOURCE_USERNAME", postgres.user());
                environment.put("SPRING_DATASOURCE_PASSWORD", postgres.password());
            }
            case "s3" -> {
                S3Server s3 = S3Server.keeping(directory);
                s3.createBucket(BUCKET);
                environment.put("S3_ENDPOINT", s3.endpoint().toString());
                environment.put("S3_BUCKET", BUCKET);
                environment.put("AWS_ACCESS_KEY_ID", s3.accessKey());
                environment.put("AWS_SECRET_ACCESS_KEY", s3.secretKey());
            }
            case "opensearch" ->
                environment.put(
                        "OPENSEARCH_URL",
                        OpenSearchServer.keeping(directory).url().toString());
            default -> throw new IllegalArgumentException("There is no server \"" + server + "\".");
        }
    }

    private static void end(Process command) {
        command.destroy();
        try {
            if (!command.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                command.destroyForcibly();
            }
        } catch (InterruptedException e) {
            command.destroyForcibly();
        }
    }
}
