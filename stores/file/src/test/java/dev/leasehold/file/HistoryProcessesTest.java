package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("A history in files, written by several processes")
class HistoryProcessesTest {
    private static final int APPENDS = 150;

    @TempDir
    Path directory;

    @Test
    @DisplayName("J09 shows every entry to whoever follows, in the order of its writer, and survives a killed one")
    void followed() throws Exception {
        List<ChildJvm> writers = new ArrayList<>();
        try (FileLeaseStore store = FileLeaseStore.of(directory)) {
            for (int writer = 0; writer < 3; writer++) {
                writers.add(ChildJvm.start(NotingProcess.class, directory, writer, APPENDS));
            }
            ChildJvm victim = ChildJvm.start(NotingProcess.class, directory, "victim", 1_000_000);
            writers.add(victim);
            for (ChildJvm writer : writers) {
                assertThat(writer.line()).isEqualTo("ready");
            }
            writers.forEach(writer -> writer.say(""));
            Follower follower = new Follower(store.history().orElseThrow());
            follower.until(() -> follower.of("victim").size() > 20);
            victim.kill();
            follower.until(() -> follower.count(0, 1, 2) == 3 * 2 * APPENDS);

            List<String> all = IntStream.range(0, APPENDS)
                    .boxed()
                    .flatMap(i -> Stream.of(i + "a", i + "b"))
                    .toList();
            for (int writer = 0; writer < 3; writer++) {
                assertThat(follower.of("" + writer)).isEqualTo(all);
            }
            assertThat(follower.of("victim")).doesNotHaveDuplicates();
        } finally {
            writers.forEach(ChildJvm::close);
        }
    }

    private interface Condition {
        boolean isMet();
    }

    private static final class Follower {
        private final History history;
        private final List<HistoryEntry> seen = new ArrayList<>();
        private final long end = System.nanoTime() + 60_000_000_000L;
        private long last;

        Follower(History history) {
            this.history = history;
        }

        void until(Condition condition) {
            while (!condition.isMet() && System.nanoTime() - end < 0) {
                for (HistoryEntry entry :
                        history.read(HistoryRequest.of("").after(last).withLimit(50))) {
                    last = entry.number();
                    seen.add(entry);
                }
                LockSupport.parkNanos(1_000_000);
            }
        }

        List<String> of(String writer) {
            return seen.stream()
                    .filter(entry -> entry.actor().equals(writer))
                    .map(HistoryEntry::reason)
                    .toList();
        }

        int count(int... writers) {
            return IntStream.of(writers).map(writer -> of("" + writer).size()).sum();
        }
    }
}
