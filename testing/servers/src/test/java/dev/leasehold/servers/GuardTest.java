package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A JVM that ends")
class GuardTest {
    @Test
    @DisplayName("by kill -9 leaves no server behind, running or paused, and no file")
    void killedJvm() throws Exception {
        endsWithItsServers(StartServers.AndWait.class);
    }

    @Test
    @DisplayName("by itself leaves no server behind, running or paused, and no file")
    void endedJvm() throws Exception {
        endsWithItsServers(StartServers.class);
    }

    private static void endsWithItsServers(Class<?> main) throws Exception {
        List<Path> roots;
        List<Long> processes;
        try (OtherJvm jvm = OtherJvm.start(main, Map.of())) {
            roots = List.of(Path.of(jvm.line()), Path.of(jvm.line()));
            processes =
                    Arrays.stream(jvm.line().split(" ", -1)).map(Long::valueOf).toList();
            assertThat(processes).hasSizeGreaterThan(5);
        }
        boolean areGone = Waiting.until(() -> roots.stream().noneMatch(Files::exists), 20);
        assertThat(areGone).as("%s are gone", roots).isTrue();
        assertThat(processes.stream().flatMap(pid -> ProcessHandle.of(pid).stream()))
                .noneMatch(Signals::isAlive);
    }
}
