package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Moment;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The cache of answers")
class AnswerCacheTest {
    private static final LeaseStore STORE = new MemoryLeaseStore();
    private static final Moment START = new Moment(0, 1_000_000);
    private static final Duration KEPT = Duration.ofSeconds(10);
    private static final Fingerprint PRINT = Fingerprint.of("request");

    private static AcquireResult.Settled answer(Settlement settlement) {
        return new AcquireResult.Settled(settlement, Fence.of(1), 1, KEPT);
    }

    private static AcquireResult.Settled done(int bytes) {
        return answer(Settlement.done(Payload.of(new byte[bytes]), KEPT));
    }

    private static Moment later(Duration monotonic, Duration wall) {
        return new Moment(START.nanos() + monotonic.toNanos(), START.wallMicros() + wall.toNanos() / 1_000);
    }

    private static Moment later(Duration time) {
        return later(time, time);
    }

    private static boolean has(AnswerCache cache, String key) {
        return cache.find(STORE, Key.of(key), PRINT, START) != null;
    }

    private static void keep(AnswerCache cache, String key, AcquireResult.Settled answer) {
        cache.keep(STORE, Key.of(key), PRINT, answer, START, cache.changes(STORE, Key.of(key)));
    }

    @Test
    @DisplayName("serves an answer for as long as it is kept, by both clocks, and not a moment longer")
    void servesInTime() {
        AnswerCache cache = AnswerCache.of(10, 10_000);
        Duration almost = KEPT.minusNanos(1_000);
        keep(cache, "a", done(1));
        AnswerCache.Found found = cache.find(STORE, Key.of("a"), PRINT, later(almost));
        assertThat(found).isNotNull();
        assertThat(found.keptFor()).isEqualTo(Duration.ofNanos(1_000));
        assertThat(cache.find(STORE, Key.of("a"), PRINT, later(KEPT, Duration.ZERO)))
                .isNull();
        keep(cache, "a", done(1));
        assertThat(cache.find(STORE, Key.of("a"), PRINT, later(Duration.ZERO, KEPT)))
                .isNull();
        assertThat(cache.size()).isZero();
        keep(cache, "a", done(1));
        assertThat(cache.find(STORE, Key.of("a"), PRINT, later(KEPT.negated()))).isNotNull();
    }

    @Test
    @DisplayName("serves nobody with another fingerprint, key or store")
    void servesTheSameRequestOnly() {
        AnswerCache cache = AnswerCache.of(10, 10_000);
        keep(cache, "a", done(1));
        Key key = Key.of("a");
        assertThat(cache.find(STORE, key, Fingerprint.of("other"), START)).isNull();
        assertThat(cache.find(STORE, key, Fingerprint.none(), START)).isNull();
        assertThat(cache.find(new MemoryLeaseStore(), key, PRINT, START)).isNull();
        assertThat(has(cache, "b")).isFalse();
        assertThat(has(cache, "a")).isTrue();
    }

    @Test
    @DisplayName(
            "keeps no answer that changed after the store was asked, and none that changed at any other caller's hand")
    void keepsNoChangedAnswer() {
        AnswerCache cache = AnswerCache.of(10, 10_000);
        Key key = Key.of("a");
        long asked = cache.changes(STORE, key);
        AnswerCache.forgetEverywhere(STORE, key);
        cache.keep(STORE, key, PRINT, done(1), START, asked);
        assertThat(has(cache, "a")).isFalse();
        keep(cache, "a", done(1));
        AnswerCache.forgetEverywhere(new MemoryLeaseStore(), key);
        assertThat(has(cache, "a")).isTrue();
        AnswerCache.forgetEverywhere(STORE, key);
        assertThat(has(cache, "a")).isFalse();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    @DisplayName("keeps failures, and nothing that is on hold")
    void keepsAnswersOnly() {
        AnswerCache cache = AnswerCache.of(10, 10_000);
        keep(cache, "failed", answer(Settlement.failed(null, KEPT)));
        keep(cache, "held", answer(Settlement.onHold(null)));
        assertThat(has(cache, "failed")).isTrue();
        assertThat(has(cache, "held")).isFalse();
    }

    @Test
    @DisplayName("drops what is used least when there are too many answers or bytes, and forgets on request")
    void isBounded() {
        AnswerCache few = AnswerCache.of(2, 1_000_000);
        keep(few, "a", done(1));
        keep(few, "b", done(1));
        assertThat(has(few, "a")).isTrue();
        keep(few, "c", done(1));
        assertThat(has(few, "b")).isFalse();
        assertThat(has(few, "a")).isTrue();
        few.forget(STORE, Key.of("a"));
        assertThat(few.size()).isEqualTo(1);

        AnswerCache small = AnswerCache.of(100, 2_000);
        for (int i = 0; i < 50; i++) {
            keep(small, "key" + i, done(300));
            assertThat(small.bytes()).isLessThanOrEqualTo(2_000);
        }
        assertThat(small.size()).isEqualTo(4);
        keep(small, "key49", done(10_000));
        assertThat(has(small, "key49")).isFalse();
        assertThat(small.size()).isEqualTo(3);
    }
}
