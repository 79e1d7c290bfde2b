package dev.leasehold.tck;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;

/** The contract on a store that keeps it, or does not: run by {@link ContractCatchesBrokenStoresTest} alone. */
class BreakableStoreContract extends LeaseStoreContract {
    /** What is wrong with the next store. */
    static volatile Breakage breakage = Breakage.NONE;

    @Override
    Duration patience() {
        return Duration.ofMillis(200);
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        ManualTime time = new ManualTime();
        return new StoreUnderTest() {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime().tellingWakeUps().notShared().notKept();
            }

            @Override
            public LeaseStore open() {
                return new BreakableStore(breakage, time.storeClock());
            }

            @Override
            public void lose(Key key) {}

            @Override
            public void elapse(Duration duration) {
                time.advance(duration);
            }

            @Override
            public void setBack(Duration by) {
                time.shiftStoreClock(by.negated());
            }
        };
    }
}
