package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The small values of a record")
class ValuesTest {
    private static final Key KEY = Key.of("k");
    private static final Nonce NONCE = new Nonce(1, 2);
    private static final Owner OWNER = Owner.of("o");

    @Nested
    @DisplayName("A fence")
    class OfAFence {
        @Test
        @DisplayName("F01 is one more than the last, or the clock, whichever is larger")
        void after() {
            assertThat(Fence.after(0, 1_000)).isEqualTo(Fence.of(1_000));
            assertThat(Fence.after(1_000, 1_000)).isEqualTo(Fence.of(1_001));
            assertThat(Fence.after(5_000, 1_000)).isEqualTo(Fence.of(5_001));
        }

        @Test
        @DisplayName("passes through JSON: it lies between 1 and 2^53 - 1")
        void bounds() {
            assertThat(Fence.MAX_VALUE).isEqualTo(9_007_199_254_740_991L);
            assertThatIllegalArgumentException().isThrownBy(() -> Fence.of(0));
            assertThatIllegalArgumentException().isThrownBy(() -> Fence.of(Fence.MAX_VALUE + 1));
        }

        @Test
        @DisplayName("F08 is exact as text, and as the double that JSON and JavaScript make of it")
        void exact() {
            for (long value : new long[] {1, 1_794_789_677_876_221L, Fence.MAX_VALUE - 1, Fence.MAX_VALUE}) {
                assertThat(Long.parseLong(Fence.of(value).toString())).isEqualTo(value);
                assertThat((long) (double) Fence.of(value).value()).isEqualTo(value);
            }
        }

        @Test
        @DisplayName("is compared as a number")
        void order() {
            assertThat(Fence.of(9)).isLessThan(Fence.of(10));
            assertThat(Fence.of(9).isOlderThan(Fence.of(10))).isTrue();
            assertThat(Fence.of(10).isOlderThan(Fence.of(10))).isFalse();
        }
    }

    @Nested
    @DisplayName("A nonce")
    class OfANonce {
        @Test
        @DisplayName("is written as 32 digits and read back")
        void roundTrip() {
            Nonce nonce = new Nonce(-1, 0x1F);
            assertThat(nonce).hasToString("ffffffffffffffff000000000000001f");
            assertThat(Nonce.parse(nonce.toString())).isEqualTo(nonce);
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "1", "ffffffffffffffff000000000000001g", "+fffffffffffffff000000000000001f", "１"})
        @DisplayName("is nothing else")
        void malformed(String text) {
            assertThatIllegalArgumentException().isThrownBy(() -> Nonce.parse(text));
        }
    }

    @Nested
    @DisplayName("A duration")
    class OfADuration {
        @Test
        @DisplayName("A11 becomes whole microseconds, rounded up, so that nothing positive becomes nothing")
        void roundedUp() {
            assertThat(Micros.of(Duration.ofNanos(1))).isEqualTo(1);
            assertThat(Micros.of(Duration.ofNanos(1_001))).isEqualTo(2);
            assertThat(Micros.of(Duration.ofSeconds(3))).isEqualTo(3_000_000);
            assertThat(Micros.of(Duration.ofMillis(-1))).isEqualTo(-1_000);
            assertThat(Micros.toDuration(-1_500)).isEqualTo(Duration.ofNanos(-1_500_000));
        }

        @Test
        @DisplayName("A11 never overflows: a hundred years is for ever")
        void forever() {
            assertThat(Micros.of(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Micros.of(Micros.FOREVER));
            assertThat(Micros.isForever(Micros.FOREVER)).isTrue();
            assertThat(Micros.isForever(Micros.FOREVER.minusNanos(1))).isFalse();
        }
    }

    @Nested
    @DisplayName("A request")
    class OfARequest {
        @Test
        @DisplayName("A11 to acquire has a TTL of more than nothing and of a year at most")
        void ttl() {
            for (Duration ttl : new Duration[] {
                Duration.ZERO, Duration.ofMillis(-1), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(367)
            }) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> AcquireRequest.of(KEY, NONCE, OWNER, ttl))
                        .withMessageContaining("TTL")
                        .withMessageContaining("key k");
            }
            assertThat(AcquireRequest.of(KEY, NONCE, OWNER, AcquireRequest.MAX_TTL)
                            .waits())
                    .isFalse();
        }

        @Test
        @DisplayName("has no negative times, and counts what is longer than for ever as for ever")
        void times() {
            AcquireRequest request = AcquireRequest.of(KEY, NONCE, OWNER, Duration.ofSeconds(1));
            assertThatIllegalArgumentException().isThrownBy(() -> request.withLockDelay(Duration.ofMillis(-1)));
            assertThatIllegalArgumentException().isThrownBy(() -> request.inLineFor(Duration.ofMillis(-1)));
            assertThat(request.inLineFor(Duration.ofSeconds(Long.MAX_VALUE)).placeLife())
                    .isEqualTo(Micros.FOREVER);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ReleaseRequest.withdrawing(KEY, NONCE).withCooldown(Duration.ofMillis(-1)));
            assertThatIllegalArgumentException().isThrownBy(() -> Settlement.done(null, Duration.ofMillis(-1)));
        }

        @Test
        @DisplayName("has a fingerprint of 255 bytes at most")
        void fingerprint() {
            AcquireRequest request = AcquireRequest.of(KEY, NONCE, OWNER, Duration.ofSeconds(1));
            assertThat(request.withFingerprint("f".repeat(255)).fingerprint()).hasSize(255);
            assertThatIllegalArgumentException().isThrownBy(() -> request.withFingerprint("f".repeat(256)));
            assertThatIllegalArgumentException().isThrownBy(() -> request.withFingerprint(""));
        }

        @Test
        @DisplayName(
                "to settle ends a run; as FREE it is refused, a checkpoint amends nothing, an answer has no number")
        void settle() {
            LeaseRef lease = new LeaseRef(KEY, NONCE, Fence.of(1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Settlement(State.FREE, null, Duration.ZERO))
                    .withMessageContaining("release");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SettleRequest.amending(lease, Settlement.checkpoint(Payload.of("half"))));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SettleRequest.checkpoint(lease, Settlement.onHold(null), 1))
                    .withMessageContaining(KEY.value());
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> SettleRequest.checkpoint(lease, Settlement.checkpoint(Payload.of("half")), -1))
                    .withMessageContaining("-1");
        }

        @Test
        @DisplayName("to list asks for 1 to 1,000 records")
        void list() {
            assertThat(ListRequest.of("").states()).isEqualTo(EnumSet.allOf(State.class));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ListRequest.of("").withLimit(0));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ListRequest.of("").withLimit(1_001));
            assertThatIllegalArgumentException().isThrownBy(() -> ListRequest.of("\0"));
        }
    }

    @Test
    @DisplayName("An owner is a label of 255 bytes at most")
    void owner() {
        assertThat(Owner.of("ｵ".repeat(85))).hasToString("ｵ".repeat(85));
        assertThatIllegalArgumentException().isThrownBy(() -> Owner.of("ｵ".repeat(86)));
        assertThatIllegalArgumentException().isThrownBy(() -> Owner.of(""));
        assertThatIllegalArgumentException().isThrownBy(() -> Owner.of("line\nbreak"));
    }

    @Test
    @DisplayName("A payload is a copy of its bytes, equal by content, and keeps them out of logs")
    void payload() {
        byte[] bytes = {1, 2, 3};
        Payload payload = Payload.of(bytes);
        bytes[0] = 9;
        payload.bytes()[1] = 9;
        assertThat(payload).isEqualTo(Payload.of(new byte[] {1, 2, 3})).hasSameHashCodeAs(Payload.of(new byte[] {1, 2, 3
        }));
        assertThat(Payload.of("sécret")).hasToString("7 bytes");
        assertThat(Payload.of("sécret").text()).isEqualTo("sécret");
    }

    @Test
    @DisplayName("A record is free if and only if nobody has it")
    void freeRecord() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LeaseRecord(
                        KEY, Fence.of(1), State.HELD, null, null, 0, 0, Progress.NONE, java.util.List.of()));
    }
}
