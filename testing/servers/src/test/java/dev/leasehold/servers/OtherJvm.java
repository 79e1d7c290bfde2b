package dev.leasehold.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Runs one of the tests' main classes in a JVM of its own, which is killed when this is closed. */
final class OtherJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private OtherJvm(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static OtherJvm start(Class<?> main, Map<String, String> environment) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        main.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        return new OtherJvm(builder.start());
    }

    String line() throws IOException {
        return out.readLine();
    }

    /** As {@code kill -9} does. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
