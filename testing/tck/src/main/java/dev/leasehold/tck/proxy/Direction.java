package dev.leasehold.tck.proxy;

/** Which way bytes travel through a {@link FaultProxy}. */
public enum Direction {
    /** From the client: requests. */
    TO_SERVER,

    /** From the server: replies. */
    TO_CLIENT
}
