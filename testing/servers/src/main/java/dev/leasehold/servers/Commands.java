package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs a command to its end. */
final class Commands {
    private Commands() {}

    static void run(List<String> command) {
        run(command, InputStream.nullInputStream());
    }

    /** @throws IllegalStateException with all the command said, if it fails */
    static void run(List<String> command, InputStream input) {
        try {
            // To a file: a command that says much while it is still being fed must not block.
            Path output = Files.createTempFile("leasehold-servers", ".log");
            try {
                int exitCode = run(command, input, output);
                if (exitCode != 0) {
                    throw new IllegalStateException(String.join(" ", command) + " ended with " + exitCode + ":\n"
                            + new String(Files.readAllBytes(output), StandardCharsets.UTF_8));
                }
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int run(List<String> command, InputStream input, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(output.toFile()));
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        try (OutputStream standardInput = process.getOutputStream()) {
            input.transferTo(standardInput);
        } catch (IOException e) {
            // It ended early; its exit code and output say why.
        }
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while running " + command.get(0) + ".", e);
        }
    }
}
