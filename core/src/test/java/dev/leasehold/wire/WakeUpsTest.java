package dev.leasehold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A wake-up from another node")
class WakeUpsTest {
    private static final Nonce NONCE = new Nonce(1, -1);

    @ParameterizedTest
    @ValueSource(strings = {"k", " two  blanks ", "'; DROP TABLE leasehold_lease; --", "H 1 2", "食事/口腔ケア"})
    @DisplayName("names any key, whatever is in it")
    void lookAgain(String key) {
        assertThat(WakeUps.parse("L " + NONCE + " " + key)).contains(new WakeUp.LookAgain(Key.of(key), NONCE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"k", " two  blanks ", "5 6 7"})
    @DisplayName("says what was handed over, and how long after the place was taken")
    void handedOver(String key) {
        LeaseRef lease = new LeaseRef(Key.of(key), NONCE, Fence.of(42));
        assertThat(WakeUps.parse("H " + NONCE + " 42 1500 2000000 3 " + key))
                .contains(new WakeUp.HandedOver(lease, Duration.ofNanos(1_500_000), Duration.ofSeconds(2), 3));
    }

    @Test
    @DisplayName("of a kind that is not known yet is passed over")
    void unknownKind() {
        assertThat(WakeUps.parse("Z " + NONCE + " anything else")).isEmpty();
    }

    @Test
    @DisplayName("without a nonce is refused")
    void noNonce() {
        assertThatIllegalArgumentException().isThrownBy(() -> WakeUps.parse("L none k"));
    }

    @Test
    @DisplayName("is told to everybody who subscribed, until they unsubscribe")
    void told() {
        WakeUps wakeUps = new WakeUps("0123456789abcdef");
        List<WakeUp> first = new ArrayList<>();
        List<WakeUp> second = new ArrayList<>();
        Subscription subscription = wakeUps.subscribe(first::add);
        wakeUps.subscribe(second::add);
        WakeUp wakeUp = new WakeUp.LookAgain(Key.of("k"), NONCE);
        wakeUps.tell(wakeUp);
        subscription.close();
        subscription.close();
        wakeUps.tell(wakeUp);
        assertThat(first).containsExactly(wakeUp);
        assertThat(second).containsExactly(wakeUp, wakeUp);
    }
}
