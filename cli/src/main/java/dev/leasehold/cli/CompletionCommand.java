package dev.leasehold.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code leasehold completion}: a script that teaches a shell our commands and options. */
@Command(name = "completion", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Parameters(arity = "1", paramLabel = "SHELL", descriptionKey = "SHELL")
    private @Nullable Shell shell;

    @Override
    public Integer call() {
        if (spec == null || shell == null) {
            throw new IllegalStateException("There is no shell.");
        }
        CommandLine all = Main.commandLine();
        // One script does for bash and zsh, which turns on its own way of reading it.
        String script = shell == Shell.fish ? new FishCompletion(all).toString() : AutoComplete.bash("leasehold", all);
        spec.commandLine().getOut().print(script);
        spec.commandLine().getOut().flush();
        return 0;
    }
}
