package dev.leasehold.store;

/** What a record says about its key. Whether the time it names is over is for the store's clock to tell. */
public enum State {
    /** Nobody holds it; perhaps it is cooling. */
    FREE,
    /** Leased, until its expiry or a renewal. */
    HELD,
    /** Settled: the run succeeded and its result is kept. */
    DONE,
    /** Settled: the run failed for good and the reason is kept. */
    FAILED,
    /** Settled: nobody knows whether the run succeeded; a person decides. */
    HOLD;

    public boolean isSettled() {
        return this == DONE || this == FAILED || this == HOLD;
    }
}
