package dev.leasehold.tck.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("History and its checkers")
class CheckersTest {
    private final History history = new History();

    private void add(long time, Kind kind, String client, long fence, long until) {
        history.add(new HistoryEvent(time, kind, client, "key", "nonce-of-" + client, fence, until));
    }

    @Test
    @DisplayName("turns without overlap and with growing fences are good")
    void goodHistory() {
        add(1, Kind.CALLED, "a", 0, 0);
        add(2, Kind.ACQUIRED, "a", 10, 100);
        add(3, Kind.EFFECT, "a", 10, 0);
        add(4, Kind.RENEWED, "a", 10, 200);
        add(5, Kind.RELEASING, "a", 10, 0);
        add(6, Kind.CALLED, "b", 0, 0);
        add(7, Kind.ACQUIRED, "b", 11, 100);
        add(8, Kind.EFFECT, "b", 11, 0);
        assertThat(FenceChecker.check(history)).isEmpty();
        assertThat(OverlapChecker.check(history)).isEmpty();
    }

    @Test
    @DisplayName("a second holder before the first one's deadline is found, also after a renewal")
    void overlapIsFound() {
        add(2, Kind.ACQUIRED, "a", 10, 5);
        add(4, Kind.RENEWED, "a", 10, 20);
        add(15, Kind.ACQUIRED, "b", 11, 30);
        assertThat(OverlapChecker.check(history)).extracting(Violation::promise).containsExactly("S1");
    }

    @Test
    @DisplayName("one that comes back to what another has taken meanwhile is found")
    void lateHolderIsFound() {
        add(2, Kind.ACQUIRED, "a", 10, 5);
        add(6, Kind.ACQUIRED, "b", 11, 20);
        add(8, Kind.RENEWED, "a", 10, 15);
        assertThat(OverlapChecker.check(history)).extracting(Violation::promise).containsExactly("S1");
    }

    @Test
    @DisplayName("a loss before the deadline is found, unless somebody else was granted the key")
    void unjustifiedLossIsFound() {
        add(2, Kind.ACQUIRED, "a", 10, 5);
        add(5, Kind.LOST, "a", 10, 0);
        add(6, Kind.ACQUIRED, "b", 11, 20);
        add(7, Kind.LOST, "b", 11, 0);
        assertThat(LossChecker.check(history)).extracting(Violation::promise).containsExactly("justified loss");
        add(8, Kind.ACQUIRED, "c", 12, 30);
        assertThat(LossChecker.check(history)).isEmpty();
    }

    @Test
    @DisplayName("a second answer to one run is found")
    void secondAnswerIsFound() {
        add(2, Kind.ANSWERED, "a", 10, 0);
        add(3, Kind.ANSWERED, "b", 10, 0);
        assertThat(AnswerChecker.check(history)).isEmpty();
        add(4, Kind.ANSWERED, "b", 11, 0);
        assertThat(AnswerChecker.check(history)).extracting(Violation::promise).containsExactly("S7");
    }

    @Test
    @DisplayName("a call that goes on under another nonce is found")
    void secondNonceIsFound() {
        add(1, Kind.CALLED, "a", 0, 0);
        add(2, Kind.UNKNOWN, "a", 0, 0);
        add(3, Kind.CALLED, "a", 0, 0);
        assertThat(CallChecker.check(history)).isEmpty();
        add(4, Kind.CALLED, "a", 0, 0);
        assertThat(CallChecker.check(history)).extracting(Violation::promise).containsExactly("S6");
    }

    @Test
    @DisplayName("a holder that crashed, or whose deadline passed, does not count")
    void deadHoldersDoNotOverlap() {
        add(2, Kind.ACQUIRED, "a", 10, 50);
        add(4, Kind.CRASHED, "a", 0, 0);
        add(5, Kind.ACQUIRED, "b", 11, 8);
        add(8, Kind.ACQUIRED, "c", 12, 30);
        assertThat(OverlapChecker.check(history)).isEmpty();
    }

    @Test
    @DisplayName("a fence that is smaller than one given before the call is found")
    void shrinkingFenceIsFound() {
        add(2, Kind.ACQUIRED, "a", 10, 5);
        add(6, Kind.CALLED, "b", 0, 0);
        add(7, Kind.ACQUIRED, "b", 9, 20);
        assertThat(FenceChecker.check(history)).extracting(Violation::promise).containsExactly("S2");
    }

    @Test
    @DisplayName("a fence given twice is found")
    void repeatedFenceIsFound() {
        add(1, Kind.CALLED, "b", 0, 0);
        add(2, Kind.ACQUIRED, "a", 10, 5);
        add(7, Kind.ACQUIRED, "b", 10, 20);
        assertThat(FenceChecker.check(history)).extracting(Violation::promise).containsExactly("S2");
    }

    @Test
    @DisplayName("an effect that goes back is found")
    void staleEffectIsFound() {
        add(2, Kind.EFFECT, "b", 11, 0);
        add(3, Kind.EFFECT, "a", 10, 0);
        assertThat(FenceChecker.check(history)).extracting(Violation::promise).containsExactly("S3");
    }

    @Test
    @DisplayName("a history survives the way through files, and parts are merged by time")
    void filesAndMerging(@TempDir Path directory) throws IOException {
        add(5, Kind.ACQUIRED, "a \"quoted\" \\ 食事 \n", Long.MAX_VALUE >> 10, -1);
        history.writeTo(directory.resolve("history.jsonl"));
        History read = History.readFrom(directory.resolve("history.jsonl"));
        assertThat(read.events()).isEqualTo(history.events());

        History other = new History();
        other.add(new HistoryEvent(1, Kind.CRASHED, "b", "key", "", 0, 0));
        assertThat(History.merged(List.of(read, other)).events())
                .extracting(HistoryEvent::time)
                .containsExactly(1L, 5L);
    }

    @Test
    @DisplayName("a line that is no event says where it is wrong")
    void garbageIsRefused() {
        assertThatThrownBy(() -> HistoryEvent.fromJson("{\"time\":1,")).hasMessageContaining("ends too early");
        assertThatThrownBy(() -> HistoryEvent.fromJson("garbage")).hasMessageContaining("index 0");
        assertThatThrownBy(() -> HistoryEvent.fromJson("{\"time\":1}")).hasMessageContaining("kind");
    }
}
