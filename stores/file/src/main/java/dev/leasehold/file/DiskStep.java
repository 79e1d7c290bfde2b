package dev.leasehold.file;

/** What can happen to the disk: the moments at which a process may die, be stopped, or be told that it cannot. */
enum DiskStep {
    READ,
    LIST,
    MAKE_DIRECTORY,
    CREATE,
    WRITE_REST,
    FORCE,
    LINK,
    MOVE,
    DELETE,
    FORCE_DIRECTORY,
    LOCK,
    WRITE_SLOT
}
