package dev.leasehold.file;

/** What can be said of a process. Only {@link #GONE} is proof. */
enum Fate {
    ALIVE,
    GONE,
    UNKNOWN
}
