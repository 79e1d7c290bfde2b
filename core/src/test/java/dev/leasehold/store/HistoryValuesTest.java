package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Values of the history")
class HistoryValuesTest {
    private static final Key KEY = Key.of("report");

    @Test
    @DisplayName("J06 A text is cut between characters, never inside one")
    void cutBetweenCharacters() {
        HistoryNote note = HistoryNote.of(KEY, HistoryKind.LOST);
        assertThat(note.withReason("x" + "👾".repeat(500)).reason()).isEqualTo("x" + "👾".repeat(249));
        assertThat(note.withReason("ab\u0000\u001bc\uDC00").reason()).isEqualTo("ab  c\uFFFD");
        assertThat(note.withActor("é".repeat(300)).actor()).isEqualTo("é".repeat(127));
    }

    @Test
    @DisplayName("J02 Nothing happens in the future, and an entry is as old as its note says")
    void notInTheFuture() {
        HistoryNote note = HistoryNote.of(KEY, HistoryKind.LOST);
        assertThat(note.withAgo(Duration.ofSeconds(-1)).ago()).isZero();
        HistoryEntry entry = note.withAgo(Duration.ofSeconds(3)).entry(7, 10_000_000);
        assertThat(entry.number()).isEqualTo(7);
        assertThat(entry.at()).isEqualTo(Instant.ofEpochSecond(7));
    }

    @Test
    @DisplayName("J03 A request has its bounds")
    void bounds() {
        HistoryRequest request = HistoryRequest.of(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.withLimit(0))
                .withMessageContaining("1 to 1000");
        assertThatIllegalArgumentException().isThrownBy(() -> request.withLimit(1_001));
        assertThatIllegalArgumentException().isThrownBy(() -> request.after(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> HistoryRequest.of("\n"));
        HistoryKind[] many = IntStream.rangeClosed(0, HistoryRequest.MAX_KINDS)
                .mapToObj(i -> new HistoryKind("kind " + i))
                .toArray(HistoryKind[]::new);
        assertThatIllegalArgumentException().isThrownBy(() -> request.only(many));
    }

    @Test
    @DisplayName("J05 A kind has a name of its own")
    void kindsHaveNames() {
        assertThatIllegalArgumentException().isThrownBy(() -> new HistoryKind(""));
        assertThatIllegalArgumentException().isThrownBy(() -> new HistoryKind("k".repeat(HistoryKind.MAX_BYTES + 1)));
        assertThat(HistoryKind.FORCED).hasToString("forced").isEqualTo(new HistoryKind("forced"));
    }
}
