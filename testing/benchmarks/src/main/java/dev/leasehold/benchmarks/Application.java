package dev.leasehold.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A web application in a process of its own, which ends with the benchmark. */
final class Application implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("\"port\":\"(\\d+)\"");
    private static final int STOP_SECONDS = 20;

    private final Process process;
    private final Thread atExit;
    private final int port;

    private Application(ProcessBuilder command) throws IOException {
        this.process = command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        this.atExit = new Thread(process::destroy, "stop-application");
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            this.port = port(process.inputReader(StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Starts the application, waits until it listens, and returns it with a client for each thread. */
    static Node<Worker.Runner> start(ProcessBuilder command) throws IOException {
        Application application = new Application(command);
        return new Node<>(() -> new Served(application.port), application::close);
    }

    /** Reads the port from the log. The rest of the log is read and dropped, so that the application can go on writing. */
    private static int port(BufferedReader log) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            Matcher port = PORT.matcher(line);
            if (port.find()) {
                Thread rest = new Thread(() -> drop(log), "application-log");
                rest.setDaemon(true);
                rest.start();
                return Integer.parseInt(port.group(1));
            }
            seen.append(line).append('\n');
        }
        throw new IllegalStateException("The application ended before it listened:\n" + seen);
    }

    private static void drop(BufferedReader log) {
        char[] buffer = new char[1 << 16];
        try {
            while (log.read(buffer) >= 0) {
                // Dropped.
            }
        } catch (IOException e) {
            // The application has ended.
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This JVM ends already, and has run the hook.
        }
    }
}
