package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

@DisplayName("The manual page")
class ManPageTest {
    @Test
    @DisplayName("has every command with every option")
    void hasEveryOption() {
        CommandLine line = Main.commandLine();
        String page = ManPage.of(line);
        line.getSubcommands().values().forEach(command -> {
            CommandSpec spec = command.getCommandSpec();
            assertThat(page).contains(".SS \"" + spec.qualifiedName().replace("-", "\\-") + "\"\n");
            spec.options().forEach(option -> assertThat(page).contains(option.names()[0].replace("-", "\\-")));
        });
    }

    @Test
    @DisplayName("takes what options say for text, whatever it looks like")
    void takesTextForText() {
        CommandSpec sub = CommandSpec.create()
                .addOption(OptionSpec.builder("--path")
                        .paramLabel("C:\\temp")
                        .arity("1")
                        .description(".SH no request", "'br neither", "100%% of it")
                        .build())
                .addPositional(PositionalParamSpec.builder()
                        .paramLabel("WORD")
                        .arity("1")
                        .description("a word")
                        .build());
        CommandSpec root = CommandSpec.create().name("tool").version("tool 1").addSubcommand("sub", sub);
        root.usageMessage().description("Does things.");

        assertThat(ManPage.of(new CommandLine(root)).lines())
                .contains(".TH \"TOOL\" \"1\" \"\" \"tool 1\" \"\"", "tool \\- Does things.", ".SS \"tool sub\"")
                .containsSequence(List.of(
                        ".TP", "\\fB\\-\\-path C:\\etemp\\fR", "\\&.SH no request", "\\&'br neither", "100% of it"))
                .containsSequence(List.of(".TP", "\\fBWORD\\fR", "a word"))
                .contains(".SH \"EXIT STATUS\"");
    }
}
