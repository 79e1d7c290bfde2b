package dev.leasehold.tck.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tlc2.TLC;

/** Lets TLC search all states of Lease.tla within the bounds of Lease.cfg, each time in a JVM of its own. */
@Tag("slow")
class LeaseModelTest {
    private static final Pattern DISTINCT_STATES = Pattern.compile("([0-9]+) distinct states found, 0 states left");

    @TempDir
    Path directory;

    @Test
    void allRulesTogetherKeepEveryPromise() throws Exception {
        assertThat(distinctStates(tlc(configuration()))).isGreaterThan(90_000);
    }

    @Test
    void aMarginMakesUpForClocksThatLag() throws Exception {
        String lagging = with(with(configuration(), "MaxLag = 1"), "Margin = 1");

        assertThat(distinctStates(tlc(with(lagging, "MaxCalls = 2")))).isGreaterThan(20_000);
    }

    @ParameterizedTest
    @CsvSource({
        "Fenced = FALSE,       PROPERTY,  ResourceNeverGoesBack",
        "Tombstone = FALSE,    INVARIANT, ReleasedStaysReleased",
        "FromSend = FALSE,     INVARIANT, AtMostOneValid",
        "KeepFence = FALSE,    PROPERTY,  FencesGrow",
        "CheckRelease = FALSE, INVARIANT, AtMostOneValid",
        "MaxLag = 1,           INVARIANT, AtMostOneValid"
    })
    void noRuleCanBeLeftOut(String setting, String kind, String promise) throws Exception {
        assertBreaks(with(configuration(), setting), kind, promise);
    }

    @Test
    void oneTombstoneDoesNotStopADuplicateOlderThanTheLastRelease() throws Exception {
        String withHistory = configuration().replace("VIEW View", "VIEW ViewWithHistory");

        assertBreaks(withHistory, "INVARIANT", "NoReleasedCallReturns");
    }

    private void assertBreaks(String configuration, String kind, String promise) throws Exception {
        String rules = configuration.substring(0, configuration.indexOf("INVARIANTS"));

        assertThat(tlc(rules + kind + " " + promise))
                .containsPattern("Error: (Invariant|Action property) " + promise + " is violated");
    }

    private static long distinctStates(String output) {
        assertThat(output).contains("Model checking completed. No error has been found.");
        Matcher matcher = DISTINCT_STATES.matcher(output);
        assertThat(matcher.find()).as(output).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    /** The configuration with another value in the line that sets this constant. */
    private static String with(String configuration, String setting) {
        String name = setting.substring(0, setting.indexOf(" ="));
        String changed = configuration.replaceFirst("(?m)^  " + name + " = .*$", "  " + setting);
        assertThat(changed).as("no other %s in Lease.cfg", setting).isNotEqualTo(configuration);
        return changed;
    }

    private static String configuration() throws IOException {
        return resource("Lease.cfg");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = LeaseModelTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** TLC keeps its state in static fields and ends with System.exit, hence the fork. */
    private String tlc(String configuration) throws IOException, InterruptedException, URISyntaxException {
        Files.writeString(directory.resolve("Lease.tla"), resource("Lease.tla"));
        Files.writeString(directory.resolve("Lease.cfg"), configuration);
        Path output = directory.resolve("output");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path jar = Path.of(
                TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-XX:+UseParallelGC",
                        "-Xmx1g",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        jar.toString(),
                        TLC.class.getName(),
                        "-workers",
                        "2",
                        "Lease.tla")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("TLC ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }
}
