package dev.leasehold.tck;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The memory store under the contracts: each store object has data of its own, which end with it. */
public final class MemoryUnderTest implements StoreUnderTest {
    private final StoreTraits traits;
    private final @Nullable ManualTime time;

    private MemoryUnderTest(StoreTraits traits, @Nullable ManualTime time) {
        this.traits = traits.tellingWakeUps().notShared().notKept();
        this.time = time;
    }

    public static MemoryUnderTest inRealTime() {
        return new MemoryUnderTest(StoreTraits.inRealTime(), null);
    }

    public static MemoryUnderTest inManualTime() {
        return new MemoryUnderTest(StoreTraits.inManualTime().withOperations(100_000), new ManualTime());
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public LeaseStore open() {
        return time == null ? new MemoryLeaseStore() : new MemoryLeaseStore(time.storeClock());
    }

    @Override
    public void lose(Key key) {}

    @Override
    public void elapse(Duration duration) throws Exception {
        if (time == null) {
            StoreUnderTest.super.elapse(duration);
        } else {
            time.advance(duration);
        }
    }

    @Override
    public void setBack(Duration by) throws Exception {
        if (time == null) {
            StoreUnderTest.super.setBack(by);
        } else {
            time.shiftStoreClock(by.negated());
        }
    }
}
