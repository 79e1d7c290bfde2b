package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LeaseOptionsTest {
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

    private final LeaseOptions defaults = LeaseOptions.defaults();

    @Test
    @DisplayName("The defaults are 30 s, renewed every third, asked for again by the default policy")
    void defaultsAreTheDocumentedOnes() {
        assertThat(defaults.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.renewEvery()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.waiting()).isEqualTo(LeaseOptions.Waiting.RETRYING);
        assertThat(defaults.retry()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(defaults.lockDelay()).isZero();
        assertThat(defaults.owner()).isNull();
        assertThat(defaults.fingerprint()).isNull();
        assertThat(defaults.ignoresCooldown()).isFalse();
        assertThat(defaults.interruptsOnLoss()).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-3")
    @DisplayName("One attempt is limited to 10 s unless set otherwise")
    void attemptLimitIsASetting() {
        assertThat(defaults.attemptLimit()).isEqualTo(Duration.ofSeconds(10));
        assertThat(defaults.withAttemptLimit(Duration.ofSeconds(3)).attemptLimit())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    @DisplayName("A change gives a copy with that change and everything else as it was")
    void changesGiveCopies() {
        LeaseOptions changed = LeaseOptions.waitFor(Duration.ofSeconds(9))
                .withTtl(Duration.ofSeconds(60))
                .withRenewEvery(Duration.ofSeconds(5))
                .withOwner(Owner.of("me"))
                .withLockDelay(Duration.ofSeconds(2))
                .withFingerprint("print")
                .ignoringCooldown()
                .interruptingOnLoss();
        assertThat(changed.waiting()).isEqualTo(LeaseOptions.Waiting.IN_LINE);
        assertThat(changed.patience()).isEqualTo(Duration.ofSeconds(9));
        assertThat(changed.ttl()).isEqualTo(Duration.ofSeconds(60));
        assertThat(changed.renewEvery()).isEqualTo(Duration.ofSeconds(5));
        assertThat(changed.owner()).isEqualTo(Owner.of("me"));
        assertThat(changed.lockDelay()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changed.fingerprint()).isEqualTo("print");
        assertThat(changed.ignoresCooldown()).isTrue();
        assertThat(changed.interruptsOnLoss()).isTrue();
        assertThat(defaults.ttl()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    @DisplayName("Asking without waiting keeps all else")
    void withoutWaitingKeepsAllElse() {
        LeaseOptions tried =
                LeaseOptions.waitFor(FOR_EVER).withTtl(Duration.ofSeconds(7)).withoutWaiting();
        assertThat(tried.waiting()).isEqualTo(LeaseOptions.Waiting.NOT);
        assertThat(tried.ttl()).isEqualTo(Duration.ofSeconds(7));
        assertThat(LeaseOptions.noWait().waiting()).isEqualTo(LeaseOptions.Waiting.NOT);
    }

    @Test
    @Tag("part-of:LOCK-2")
    @DisplayName("Any retry policy can be set")
    void retryPolicyIsASetting() {
        RetryPolicy once = new RetryPolicy(Duration.ZERO, 1, Duration.ZERO, 1);
        assertThat(LeaseOptions.retrying(once).retry()).isEqualTo(once);
        assertThat(LeaseOptions.noWait().withRetry(once).retry()).isEqualTo(once);
    }

    @Test
    @DisplayName("A11 A TTL of nothing, or less, is refused")
    void ttlMustBePositive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTtl(Duration.ZERO))
                .withMessage("The TTL must be positive, not PT0S.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTtl(Duration.ofMillis(-1)))
                .withMessageContaining("must be positive, not PT-0.001S");
    }

    @Test
    @DisplayName("A11 A TTL of more than a year is refused, and never overflows into one that has expired")
    void ttlMustBeReasonable() {
        assertThat(defaults.withTtl(AcquireRequest.MAX_TTL).ttl()).isEqualTo(AcquireRequest.MAX_TTL);
        for (Duration tooLong : new Duration[] {
            AcquireRequest.MAX_TTL.plusNanos(1),
            Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofMillis(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE)
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> defaults.withTtl(tooLong))
                    .withMessageContaining("The TTL must be at most 366 days");
        }
    }

    @Test
    @DisplayName("Renewing later than at four fifths of the TTL is refused, whichever is set first")
    void renewalMustLeaveTimeForASecondTry() {
        LeaseOptions tenSeconds = defaults.withTtl(Duration.ofSeconds(10));
        assertThat(tenSeconds.withRenewEvery(Duration.ofSeconds(8)).renewEvery())
                .isEqualTo(Duration.ofSeconds(8));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tenSeconds.withRenewEvery(Duration.ofMillis(8_001)))
                .withMessageContaining("no time for a second try");
        LeaseOptions late = defaults.withRenewEvery(Duration.ofSeconds(20));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> late.withTtl(Duration.ofSeconds(10)))
                .withMessageContaining("no time for a second try");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withRenewEvery(FOR_EVER))
                .withMessageContaining("no time for a second try");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withRenewEvery(Duration.ZERO))
                .withMessageContaining("The renewal period must be positive");
    }

    @Test
    @DisplayName("Negative times are refused, by name")
    void negativeTimesAreRefused() {
        Duration negative = Duration.ofNanos(-1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LeaseOptions.waitFor(negative))
                .withMessageContaining("The time to wait must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withLockDelay(negative))
                .withMessageContaining("The lock delay must not be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withAttemptLimit(Duration.ZERO))
                .withMessageContaining("The limit of an attempt must be positive");
    }

    @Test
    @DisplayName("Times too long to be counted mean for ever")
    void endlessTimesAreForEver() {
        assertThat(LeaseOptions.waitFor(FOR_EVER).patience()).isEqualTo(Micros.FOREVER);
        assertThat(defaults.withAttemptLimit(FOR_EVER).attemptLimit()).isEqualTo(Micros.FOREVER);
        assertThat(defaults.withLockDelay(FOR_EVER).lockDelay()).isEqualTo(Micros.FOREVER);
        assertThat(new RetryPolicy(FOR_EVER, 2, FOR_EVER, 2).delayAfter(1)).isEqualTo(Micros.FOREVER);
    }
}
