package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AcquisitionTest {
    private static final Key KEY = Key.of("report");
    private static final Fence FENCE = Fence.of(7);
    private static final Acquisition HELD = new Acquisition.Refused(
            KEY,
            new AcquireResult.Held(
                    Owner.of("ann"),
                    FENCE,
                    Duration.ofMillis(2_600),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(4),
                    false));

    private final Leases leases =
            Leases.builder(new MemoryLeaseStore()).withoutLog().build();

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    @DisplayName("A02 A refusal says who has the key, since when, and when to ask again")
    void refusalNamesTheHolder() {
        Acquisition.Refused refused = (Acquisition.Refused) HELD;
        assertThat(refused.owner()).contains(Owner.of("ann"));
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(2_600));
        assertThat(refused).hasToString("report is held by ann for 4.0 s, and unless renewed for 2.6 s more");
    }

    @Test
    @DisplayName("A02 A refusal says nothing of the end of a lease that never expires")
    void refusalOfAnUnendingLeaseNamesNoEnd() {
        Acquisition.Refused refused = refused(new AcquireResult.Held(
                Owner.of("ann"), FENCE, Micros.FOREVER, Micros.FOREVER, Duration.ofSeconds(4), false));
        assertThat(refused).hasToString("report is held by ann for 4.0 s");
    }

    @Test
    @DisplayName("A holder that the store cannot name is somebody")
    void unnamedHolderIsSomebody() {
        Acquisition.Refused refused = refused(new AcquireResult.Held(
                null, FENCE, Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO, false));
        assertThat(refused.owner()).isEmpty();
        assertThat(refused.toString()).startsWith("report is held by a holder that the store does not name, for 0.0 s");
    }

    @Test
    @DisplayName("Every other refusal says in words why, and names no owner")
    void everyRefusalHasItsWords() {
        assertThat(words(new AcquireResult.Cooling(Duration.ofMillis(1_500))))
                .isEqualTo("report is cooling down for 1.5 s more");
        assertThat(words(new AcquireResult.Settled(
                        Settlement.done(null, Duration.ofDays(1)), FENCE, 1, Duration.ofDays(1))))
                .isEqualTo("report is settled as DONE");
        assertThat(words(new AcquireResult.Mismatch(FENCE, State.HELD)))
                .isEqualTo("report is in use for another request");
        assertThat(words(new AcquireResult.Missing())).isEqualTo("report is missing: there is no such record");
        assertThat(words(new AcquireResult.Spent())).isEqualTo("report is not available");
        assertThat(refused(new AcquireResult.Missing()).owner()).isEmpty();
    }

    @Test
    @DisplayName("A cooldown says when to ask again; where waiting does not help, that is at once")
    void retryAfterFitsTheReason() {
        assertThat(refused(new AcquireResult.Cooling(Duration.ofMillis(1_500))).retryAfter())
                .isEqualTo(Duration.ofMillis(1_500));
        assertThat(refused(new AcquireResult.Missing()).retryAfter()).isZero();
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("A refusal can be thrown: lock-unavailable, with the holder in its message")
    void refusalCanBeThrown() {
        assertThatThrownBy(HELD::orElseThrow)
                .isInstanceOfSatisfying(LeaseException.class, error -> {
                    assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
                    assertThat(error.key()).isEqualTo(KEY);
                    assertThat(error.isRetryable()).isFalse();
                })
                .hasMessageContaining("held by ann");
        assertThat(HELD.toOptional()).isEmpty();
    }

    @Test
    @DisplayName("The error of a refusal says what to do next, which depends on what is in the way")
    void adviceFitsTheReason() {
        assertThat(advice(((Acquisition.Refused) HELD).answer())).isEqualTo("Wait longer, or skip the work.");
        assertThat(advice(new AcquireResult.Cooling(Duration.ofMillis(1_500))))
                .isEqualTo("Wait longer, or skip the work.");
        assertThat(advice(new AcquireResult.Settled(
                        Settlement.done(null, Duration.ofDays(1)), FENCE, 1, Duration.ofDays(1))))
                .isEqualTo("Its answer is kept; read it instead.");
        assertThat(advice(new AcquireResult.Mismatch(FENCE, State.HELD)))
                .isEqualTo("Use another key for another request.");
    }

    @Test
    @DisplayName("A record that does not exist is thrown as not found, and counts as lock-unavailable")
    void missingRecordIsNotFound() {
        assertThatThrownBy(refused(new AcquireResult.Missing())::orElseThrow)
                .isInstanceOfSatisfying(RecordNotFoundException.class, error -> {
                    assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
                    assertThat(error.key()).isEqualTo(KEY);
                    assertThat(error.record()).isEqualTo("report");
                })
                .hasMessage("There is no record report. Create it before it is worked on, or check the id.");
    }

    private static String advice(AcquireResult answer) {
        Acquisition refused = refused(answer);
        LeaseException error = catchThrowableOfType(LeaseException.class, refused::orElseThrow);
        assertThat(error).hasMessageStartingWith(refused + ". ");
        return error.getMessage().substring((refused + ". ").length());
    }

    @Test
    @DisplayName("A refusal runs no work")
    void refusalRunsNothing() {
        List<Lease> ran = new ArrayList<>();
        assertThat(HELD.ifAcquired(ran::add)).isFalse();
        assertThat(ran).isEmpty();
    }

    @Test
    @Tag("part-of:LOCK-1")
    @DisplayName("Work is done under the lease, which is given back afterwards")
    void workIsDoneAndTheLeaseGivenBack() {
        List<LeaseState> seen = new ArrayList<>();
        Acquisition acquired = leases.tryAcquire(KEY);
        assertThat(acquired.ifAcquired(lease -> seen.add(lease.state()))).isTrue();
        assertThat(seen).containsExactly(LeaseState.HELD);
        assertThat(acquired.orElseThrow().state()).isEqualTo(LeaseState.RELEASED);
        assertThat(acquired.toOptional()).contains(acquired.orElseThrow());
    }

    @Test
    @Tag("part-of:LOCK-1")
    @DisplayName("The lease is given back also if the work throws")
    void leaseIsGivenBackIfTheWorkThrows() {
        Acquisition acquired = leases.tryAcquire(KEY);
        IllegalStateException failure = new IllegalStateException("no paper");
        assertThatThrownBy(() -> acquired.ifAcquired(lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(acquired.orElseThrow().state()).isEqualTo(LeaseState.RELEASED);
    }

    private static Acquisition.Refused refused(AcquireResult answer) {
        return new Acquisition.Refused(KEY, answer);
    }

    private static String words(AcquireResult answer) {
        return refused(answer).toString();
    }
}
