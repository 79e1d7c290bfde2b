package dev.leasehold.tck.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.StoreUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What must hold for a store whose callers really run at once: there is an order of their calls, each between its
 * beginning and its end, in which {@link dev.leasehold.store.LeaseRules} gives the answers that they got.
 *
 * <p>Twelve threads with two store objects make random calls on three keys, with leases of 20 to 200 ms. Races between
 * a statement's snapshot and its lock are far too short to be met by chance, so a store on a database widens them: see
 * {@link #interference}.
 *
 * <p>{@code -Dleasehold.concurrency.seconds=60} runs it for longer, {@code -Dleasehold.tck.seed=42} with the calls of one
 * seed again, as far as threads can be repeated.
 */
public abstract class ConcurrencyContract {
    private static final String SECONDS = "leasehold.concurrency.seconds";
    private static final String SEED = "leasehold.tck.seed";
    private static final Duration SHORT = Duration.ofMillis(1_500);

    /** The data to be tested on. Called before each test; what it gives is closed afterwards. */
    protected abstract StoreUnderTest storeUnderTest() throws Exception;

    /**
     * Starts what makes races likely, such as a stranger's transactions that do nothing but hold the record of one of
     * these keys locked for a few milliseconds. It must change no record, and no call may fail because of it.
     *
     * @return what ends it
     */
    protected AutoCloseable interference(List<Key> keys) throws Exception {
        return () -> {};
    }

    @Test
    @DisplayName("Concurrent calls have an order in which the rules give their answers")
    final void callsAreLinearizable() throws Exception {
        check(SHORT);
    }

    @Test
    @Tag("slow")
    @DisplayName("Concurrent calls have an order in which the rules give their answers, for longer")
    final void callsAreLinearizableForLong() throws Exception {
        ConcurrencyCheck check = check(Duration.ofSeconds(Long.getLong(SECONDS, 10)));
        assertThat(check.outcomes())
                .as("everything that can happen, happened")
                .contains("Granted", "TakenOver", "Held", "Settled", "Spent")
                .contains(
                        "Renewed",
                        "NotRenewed",
                        "TtlChanged",
                        "NotTtlChanged",
                        "RELEASED",
                        "NOT_HELD",
                        "SETTLED",
                        "SUPERSEDED",
                        "Found");
        assertThat(check.undecided()).as("searches given up").isLessThan(0.05);
    }

    private ConcurrencyCheck check(Duration time) throws Exception {
        StoreUnderTest underTest = storeUnderTest();
        List<LeaseStore> stores = new ArrayList<>();
        try {
            stores.add(underTest.open());
            stores.add(underTest.traits().isShared() ? underTest.open() : stores.get(0));
            ConcurrencyCheck check = new ConcurrencyCheck(
                    stores,
                    "race-" + UUID.randomUUID() + "/",
                    underTest.traits().tick(),
                    seed());
            AutoCloseable interference = interference(check.keys());
            try {
                check.run(time).ifPresent(what -> fail("%s\nAgain: -D%s=%d", what, SEED, seed()));
            } finally {
                interference.close();
            }
            return check;
        } finally {
            stores.forEach(LeaseStore::close);
            underTest.close();
        }
    }

    private long seed() {
        return Long.getLong(SEED, seedOfThisRun);
    }

    private final long seedOfThisRun = System.nanoTime() & 0xFFFF_FFFFL;
}
