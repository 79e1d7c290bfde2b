package dev.leasehold.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Called by the build: writes what is in the distribution beside the program, from the commands as they are. */
public final class DistributionFiles {
    private DistributionFiles() {}

    /** Writes below the directory that is the only argument. */
    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.ENGLISH);
        Path share = Path.of(arguments[0]);
        write(share.resolve("man/man1/leasehold.1"), ManPage.of(Main.commandLine()));
        if (!Main.commandLine().getSubcommands().containsKey("completion")) {
            return;
        }
        write(share.resolve("bash-completion/completions/leasehold"), completion("bash"));
        write(share.resolve("zsh/site-functions/_leasehold"), "#compdef leasehold\n" + completion("zsh"));
        write(share.resolve("fish/vendor_completions.d/leasehold.fish"), completion("fish"));
    }

    private static String completion(String shell) throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            int code = Main.commandLine().execute("completion", shell);
            if (code != 0) {
                throw new IOException("leasehold completion " + shell + " ended with " + code);
            }
        } finally {
            System.setOut(before);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
    }
}
