package dev.leasehold.tck.sim;

/** What can go wrong in a simulation. Each seed switches on a part of it. */
public enum SimFault {
    /** A request never arrives. */
    LOST_REQUEST,
    /** A request is carried out and its reply never arrives. */
    LOST_REPLY,
    /** The connection breaks: the client hears so at once, and does not know whether the request arrived. */
    BROKEN_CONNECTION,
    /** A request arrives twice. */
    DUPLICATE,
    /** A request, reply or effect takes up to 25 s. */
    LATE,
    /** A wake-up is lost. */
    LOST_WAKE_UP,
    /** A client dies and another life of it begins later. */
    CRASH,
    /** A client stops for up to 30 s while all clocks go on. */
    PAUSE,
    /** A client stops for up to 30 s and its monotonic clock with it, between any two of its steps. */
    SUSPEND,
    /** A client's wall clock is set forward or back, by milliseconds, seconds or an hour, between any two steps. */
    WALL_CLOCK,
    /** The store's clock is set forward or back by some seconds, between any two requests. */
    STORE_CLOCK_STEP,
    /** The store's clock is set an hour back. Excludes {@link #PURGE}. */
    STORE_CLOCK_BACK,
    /** The store drops everything that it may, at once. */
    PURGE
}
