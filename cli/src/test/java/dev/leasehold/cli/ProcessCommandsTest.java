package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Stores;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Commands as processes")
class ProcessCommandsTest {
    @TempDir
    private Path home;

    private Cli cli;

    @BeforeEach
    void prepare() {
        cli = new Cli(home);
    }

    @Test
    @DisplayName("The doctor makes the default store, and finds it private")
    void theDefaultStoreIsFine() {
        Run run = cli.run("doctor");
        assertThat(run.code()).as(run.out()).isZero();
        assertThat(run.out()).contains("the default; --store", "✓  permissions  " + home.resolve("leasehold"));
    }

    @Test
    @DisplayName("Without setsid, setpriv and ps the doctor says what is weaker; without sh, it is wrong")
    void theDoctorMissesPrograms() {
        Run run = cli.with("PATH", home.toString()).run("doctor");
        assertThat(run.code()).isEqualTo(78);
        assertThat(run.out()).contains("✗  sh", "!  setsid", "!  setpriv", "!  ps", "→ ");
    }

    @Test
    @DisplayName("Watching ends with 130 when it is interrupted")
    void anInterruptEndsWatching() {
        assertThat(cli.run("list").code()).isZero();
        try (Run run = cli.start("watch", "--after", "0");
                LeaseStore store = Stores.open(cli.storeUrl())) {
            store.history()
                    .orElseThrow()
                    .append(List.of(
                            HistoryNote.of(Key.of("job"), HistoryKind.LOST).withReason("a storm")));
            assertThat(run.awaitLines(1).get(0)).contains("job  lost  -  -  a storm");
            run.signal("INT");
            assertThat(run.code()).isEqualTo(130);
        }
    }

    @Test
    @DisplayName("Who is interrupted while waiting for a lease leaves no place in line behind")
    void anInterruptLeavesTheLine() {
        assertThat(cli.run("acquire", "--key", "job").code()).isZero();
        try (Run run = cli.start("acquire", "--key", "job", "--wait", "forever")) {
            Waiting.until(() -> cli.waiters("job") == 1, () -> "somebody in line");
            run.signal("INT");
            assertThat(run.code()).isEqualTo(130);
        }
        assertThat(cli.waiters("job")).isZero();
    }

    @Test
    @DisplayName("Colours are for terminals, and not for those who do not want them")
    void coloursAreForTerminals() {
        cli.run("acquire", "--key", "job");
        assertThat(cli.run("list").out()).contains("job").doesNotContain("\u001b");
        assertThat(cli.with("CLICOLOR_FORCE", "1").run("list").out()).contains("\u001b[1mKEY");
        assertThat(cli.with("NO_COLOR", "1").run("list").out()).contains("job").doesNotContain("\u001b");
    }

    @Test
    @DisplayName("The language is that of the environment, or of the JVM")
    void theEnvironmentChoosesTheLanguage() {
        assertThat(cli.with("LC_ALL", "")
                        .with("LC_MESSAGES", "")
                        .with("LANG", "ko_KR.UTF-8")
                        .run("explain", "70")
                        .out())
                .startsWith("70: leasehold의 버그");
        assertThat(cli.with("LC_MESSAGES", "ja_JP.UTF-8").run("show", "job").err())
                .contains("job: このキーの記録はありません");
    }

    @Test
    @DisplayName("What run did and did not do is in the history")
    void runsAreInTheHistory() {
        assertThat(cli.run("run", "--key", "job", "--owner", "first", "--", "true")
                        .code())
                .isZero();
        cli.run("acquire", "--key", "job", "--owner", "second");
        assertThat(cli.run("run", "--key", "job", "--owner", "third", "--", "true")
                        .code())
                .isEqualTo(1);
        assertThat(cli.run("history", "job").out())
                .containsSubsequence(
                        "acquired", "first", "released", "first", "acquired", "second", "skipped", "third");
    }
}
