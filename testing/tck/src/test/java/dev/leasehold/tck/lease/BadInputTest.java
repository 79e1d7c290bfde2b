package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Settings that make no sense are refused in words, before anything is asked of the store. */
class BadInputTest {
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");

    @AfterEach
    void close() {
        bench.close();
    }

    static Stream<Arguments> badOptions() {
        return Stream.of(
                bad("a TTL of nothing", o -> o.withTtl(Duration.ZERO), "The TTL must be positive"),
                bad("a negative TTL", o -> o.withTtl(Duration.ofSeconds(-1)), "The TTL must be positive"),
                bad("a TTL of 1 ms", o -> o.withTtl(Duration.ofMillis(1)), "at least 100 ms on memory"),
                bad("a TTL of 99 ms", o -> o.withTtl(Duration.ofMillis(99)), "at least 100 ms on memory"),
                bad("an endless TTL", o -> o.withTtl(FOR_EVER), "at most 366 days"),
                bad("a TTL of Long.MAX ns", o -> o.withTtl(Duration.ofNanos(Long.MAX_VALUE)), "at most 366 days"),
                bad("a late renewal", o -> o.withRenewEvery(Duration.ofSeconds(25)), "no time for a second try"),
                bad("no renewal period", o -> o.withRenewEvery(Duration.ZERO), "The renewal period must be positive"),
                bad("no attempt", o -> o.withAttemptLimit(Duration.ZERO), "The limit of an attempt must be positive"),
                bad("a negative lock delay", o -> o.withLockDelay(Duration.ofSeconds(-1)), "The lock delay"),
                bad("a fingerprint of nothing", o -> o.withFingerprint(""), "A fingerprint"),
                bad("a fingerprint too long", o -> o.withFingerprint("x".repeat(256)), "A fingerprint"));
    }

    private static Arguments bad(String what, Function<LeaseOptions, LeaseOptions> change, String message) {
        return Arguments.of(what, change, message);
    }

    @ParameterizedTest(name = "A11 Refused, with nothing asked of the store: {0}")
    @MethodSource("badOptions")
    void badOptionsAreRefused(String what, Function<LeaseOptions, LeaseOptions> change, String message) {
        assertThatIllegalArgumentException()
                .as(what)
                .isThrownBy(() -> ann.leases.tryAcquire(KEY, change.apply(LeaseOptions.noWait())))
                .withMessageContaining(message);
        assertThat(ann.store.asked()).isEmpty();
        assertThat(ann.events).isEmpty();
    }

    @Test
    @DisplayName("A11 The shortest TTL that the store allows is granted, kept, and valid for a part of it")
    void shortestTtlWorks() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().withTtl(Duration.ofMillis(100)));
        assertThat(lease.remaining()).isPositive().isLessThan(Duration.ofMillis(100));
        bench.advanceSeconds(5);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("A11 A TTL of a year is granted and valid, and does not overflow")
    void longestTtlWorks() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().withTtl(Duration.ofDays(366)));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofDays(363));
        bench.advance(Duration.ofDays(400));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("A11 Endless waits, delays and limits are allowed, and do not overflow")
    void endlessTimesWork() {
        RetryPolicy endless = new RetryPolicy(FOR_EVER, 2, FOR_EVER, 5);
        LeaseOptions options = LeaseOptions.waitFor(FOR_EVER)
                .withAttemptLimit(FOR_EVER)
                .withLockDelay(FOR_EVER)
                .withRetry(endless);
        bench.deadHolder(KEY, Duration.ofSeconds(30));
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, options);
        ann.store.next(Verb.ACQUIRE, new Fault.LostRequest());
        bench.advance(Duration.ofDays(1));
        assertThat(call).isNotDone();
        assertThat(call.cancel(true)).isTrue();
    }

    @Test
    @DisplayName("A negative cooldown is refused, and the lease is still held")
    void negativeCooldownIsRefused() {
        Lease lease = ann.acquire(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lease.release(Duration.ofSeconds(-1)))
                .withMessageContaining("The cooldown must not be negative");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("A client may be closed with all the grace in the world")
    void endlessGraceIsAllowed() {
        Lease lease = ann.acquire(KEY);
        ann.leases.close(FOR_EVER);
        assertThat(lease.isValid()).isFalse();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("A margin or retention that makes no sense is refused")
    void badSettingsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Leases.builder(bench.memory).margin(1, Duration.ZERO))
                .withMessageContaining("margin");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Leases.builder(bench.memory).margin(Double.NaN, Duration.ZERO))
                .withMessageContaining("margin");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Leases.builder(bench.memory).margin(0, Duration.ofNanos(-1)))
                .withMessageContaining("margin");
    }
}
