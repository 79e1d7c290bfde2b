package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A verdict")
class VerdictTest {
    private static final FaultCase FAULT = FaultCase.of("test", "a test", Duration.ZERO, scene -> {
        throw new AssertionError("not to be injected");
    });

    private final History history = new History();

    /** So many turns on each key, one after another. */
    private void turns(int count) {
        for (int turn = 0; turn < count; turn++) {
            for (int key = 0; key < Shift.KEYS; key++) {
                add(Kind.CALLED, key, turn, 0);
                add(Kind.ACQUIRED, key, turn, time() + 100);
                add(Kind.EFFECT, key, turn, 0);
                add(Kind.RELEASING, key, turn, 0);
            }
        }
    }

    private long time() {
        return history.events().size();
    }

    private void add(Kind kind, int key, int turn, long until) {
        history.add(new HistoryEvent(time(), kind, "client", "c/k" + key, "nonce" + turn, turn + 1, until));
    }

    private static FaultCase.Evidence fired(int times) {
        return new FaultCase.Evidence(times, "seen");
    }

    @Test
    @DisplayName("is good if the fault struck, enough happened and nothing was wrong")
    void good() {
        turns(20);
        assertThat(new Verdict(FAULT, history).findings(fired(1))).isEmpty();
    }

    @Test
    @DisplayName("says that nothing was tested if the fault did not strike")
    void notFired() {
        turns(20);
        assertThat(new Verdict(FAULT, history).findings(fired(0)))
                .containsExactly("tested nothing: the fault did not strike (seen)");
    }

    @Test
    @DisplayName("says that nothing was tested if little happened")
    void tooFew() {
        turns(2);
        assertThat(new Verdict(FAULT, history).findings(fired(1))).containsExactly("tested nothing: only 8 grants");
    }

    @Test
    @DisplayName("says that nothing was tested if an outcome that the fault must have is missing")
    void outcomeMissing() {
        turns(20);
        assertThat(new Verdict(FAULT.expecting(Kind.LOST), history).findings(fired(1)))
                .containsExactly("tested nothing: no LOST");
    }

    @Test
    @DisplayName("counts two holders but finds nothing wrong with them where the fault allows it")
    void waived() {
        turns(20);
        add(Kind.ACQUIRED, 0, 30, time() + 100);
        add(Kind.ACQUIRED, 0, 31, time() + 100);
        Verdict allowed = new Verdict(FAULT.waiving(Set.of("S1")), history);
        assertThat(allowed.broken("S1")).isEqualTo(1);
        assertThat(allowed.findings(fired(1))).isEmpty();
        assertThat(new Verdict(FAULT, history).findings(fired(1)))
                .singleElement()
                .asString()
                .startsWith("S1: ");
    }
}
