package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An envelope")
class EnvelopeTest {
    private static final Key KEY = Key.of("report", "食事");

    private static Attempt attempt(int number) {
        return new Attempt(
                number,
                Owner.of("worker"),
                Fence.of(1_000 + number),
                Duration.ofMillis(1_500),
                Attempt.Ending.CLEARED,
                "java.io.IOException: 回線");
    }

    private static Envelope reread(Envelope envelope) {
        return Envelope.read(KEY, envelope.toPayload());
    }

    @Test
    @DisplayName("gives back what was put in, whatever it is")
    void comesBack() {
        Envelope history = Envelope.EMPTY
                .with(attempt(1))
                .with(new Attempt(2, null, Fence.of(2), null, Attempt.Ending.WENT_SILENT, ""));
        for (Envelope.Body body : List.of(
                new Envelope.Body.Nothing(),
                new Envelope.Body.Bytes(Payload.of(new byte[0])),
                new Envelope.Body.Bytes(Payload.of(new byte[100_000])),
                new Envelope.Body.Failed(Failure.of("code", "message")),
                new Envelope.Body.Failed(new Failure("code", "", Payload.of("detail"))),
                new Envelope.Body.Reason("why"))) {
            Envelope envelope = history.with(body);
            assertThat(reread(envelope)).isEqualTo(envelope);
        }
        assertThat(reread(Envelope.EMPTY)).isEqualTo(Envelope.EMPTY);
        assertThat(Envelope.read(KEY, null)).isEqualTo(Envelope.EMPTY);
    }

    @Test
    @DisplayName("remembers the last sixteen attempts")
    void remembersTheLast() {
        Envelope envelope = Envelope.EMPTY;
        for (int number = 1; number <= 40; number++) {
            envelope = reread(envelope.with(attempt(number)));
        }
        assertThat(envelope.history()).hasSize(16);
        assertThat(envelope.history().get(0).number()).isEqualTo(25);
        assertThat(envelope.history().get(15).number()).isEqualTo(40);
    }

    @Test
    @DisplayName("takes note of a runner that went silent, unless that one had told its end")
    void takesNoteOfTheSilent() {
        Predecessor silent = new Predecessor(Owner.of("gone"), Fence.of(7));
        assertThat(Envelope.EMPTY.withSilent(silent, 3).history())
                .containsExactly(new Attempt(3, Owner.of("gone"), Fence.of(7), null, Attempt.Ending.WENT_SILENT, ""));
        assertThat(Envelope.EMPTY.withSilent(null, 3).history()).isEmpty();
        Predecessor told = new Predecessor(null, attempt(1).fence());
        assertThat(Envelope.EMPTY.with(attempt(1)).withSilent(told, 1).history())
                .containsExactly(attempt(1));
    }

    @Test
    @DisplayName("of an unknown version is refused, with the key and both versions")
    void unknownVersionIsRefused() {
        byte[] bytes = Envelope.EMPTY.with(attempt(1)).toPayload().bytes();
        bytes[2] = 2;
        assertThatThrownBy(() -> Envelope.read(KEY, Payload.of(bytes)))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining(KEY.value())
                .hasMessageContaining("format 2")
                .hasMessageContaining("format 1");
    }

    @Test
    @DisplayName("that is cut short, too long or not ours at all is refused, with the key")
    void damageIsRefused() {
        byte[] whole = Envelope.EMPTY
                .with(attempt(1))
                .with(new Envelope.Body.Reason("why"))
                .toPayload()
                .bytes();
        for (int length = 0; length < whole.length; length++) {
            Payload cut = Payload.of(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> Envelope.read(KEY, cut))
                    .as("cut to %s bytes", length)
                    .isInstanceOf(ResultException.class)
                    .hasMessageContaining(KEY.value());
        }
        assertThatThrownBy(() -> Envelope.read(KEY, Payload.of(Arrays.copyOf(whole, whole.length + 1))))
                .isInstanceOf(ResultException.class);
        assertThatThrownBy(() -> Envelope.read(KEY, Payload.of("{\"result\": 1}")))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining("not written by a run");
    }

    @Test
    @DisplayName("is written like this in version 1")
    void formatIsFixed() {
        Envelope envelope = Envelope.EMPTY
                .with(new Attempt(1, Owner.of("w"), Fence.of(2), Duration.ofNanos(3_000), Attempt.Ending.DONE, ""))
                .with(new Envelope.Body.Bytes(Payload.of("r")));
        assertThat(envelope.toPayload().bytes())
                .containsExactly(
                        'L', 'H', 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 'w', 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3,
                        'D', 0, 0, 0, 0, 1, 'r');
    }
}
