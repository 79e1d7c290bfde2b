package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.LeaseException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("leasehold explain, completion and wrong usage")
class ExplainTest {
    static Stream<String> codes() {
        return Stream.concat(
                IntStream.rangeClosed(0, 255)
                        .filter(code -> code % 31 == 0 || (code > 120 && code < 131))
                        .mapToObj(Integer::toString),
                Stream.of(LeaseException.Code.values()).map(LeaseException.Code::toString));
    }

    @ParameterizedTest(name = "{0} is explained, with what to do")
    @MethodSource("codes")
    void everyCodeIsExplained(String code) {
        Answer answer = Answer.of("explain", code);
        assertThat(answer.code()).isZero();
        assertThat(answer.out().lines()).hasSize(2);
        assertThat(answer.out()).startsWith(code + ": ");
    }

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({"137, KILL", "143, TERM", "130, INT", "3, exit code of the command", "79, lost"})
    void theRightThingIsSaid(String code, String words) {
        assertThat(Answer.of("explain", code).out()).contains(words);
    }

    @Test
    void aloneItListsAll() {
        Answer answer = Answer.of("explain");
        assertThat(answer.out()).contains("128+N", "lock-release-failed", "79", "127");
        assertThat(Answer.of("explain", "--json").out())
                .startsWith("[{\"code\":\"0\",\"meaning\":\"it worked\",\"advice\":");
    }

    @ParameterizedTest(name = "\"{0}\" is none")
    @ValueSource(strings = {"256", "-1", "lock-lost", "x"})
    void whatIsNoCodeIsWrongUsage(String code) {
        Answer answer = Answer.of("explain", "--", code);
        assertThat(answer.code()).isEqualTo(64);
        assertThat(answer.err()).contains("neither an exit code nor");
    }

    @Test
    void aWrongOptionIsNamedAndTheRightOneToo() {
        Answer answer = Answer.of("list", "--stat", "held");
        assertThat(answer.code()).isEqualTo(64);
        assertThat(answer.err())
                .contains("leasehold: There is no option --stat here.", "--state", "See leasehold list --help.");
    }

    @Test
    void aMissingOptionIsNamed() {
        Answer answer = Answer.of("acquire");
        assertThat(answer.code()).isEqualTo(64);
        assertThat(answer.err()).contains("leasehold: Missing: --key");
    }

    @Test
    void aBadValueIsNamedWithWhatIsPossible() {
        Answer time = Answer.of("wait", "k", "--timeout", "soon");
        assertThat(time.code()).isEqualTo(64);
        assertThat(time.err()).contains("--timeout: not a time: \"soon\"");
        Answer shell = Answer.of("completion", "csh");
        assertThat(shell.code()).isEqualTo(64);
        assertThat(shell.err()).contains("csh");
    }

    @Test
    void anInvalidKeyIsToldWhy() {
        Answer answer = Answer.of("show", "a/../b");
        assertThat(answer.code()).isEqualTo(64);
        assertThat(answer.err()).contains("KEY: A key must not have '..'");
    }

    @ParameterizedTest(name = "completion for {0} knows every command")
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void completionKnowsEveryCommand(String shell) {
        Answer answer = Answer.of("completion", shell);
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).contains(Main.commandLine().getSubcommands().keySet());
        assertThat(answer.out()).contains("keep-failures", "settled");
    }

    @Test
    void fishHasALineForEveryOption() {
        String script = Answer.of("completion", "fish").out();
        assertThat(script)
                .contains("complete -c leasehold -n '__fish_seen_subcommand_from list' -l state -xa"
                        + " 'current held settled free all' -d 'current")
                .contains("complete -c leasehold -n '__fish_seen_subcommand_from run' -s k -l key -r -d '");
        assertThat(script.lines())
                .allMatch(line -> line.chars().filter(c -> c == '\'').count() % 2 == 0 || line.contains("\\'"));
    }
}
