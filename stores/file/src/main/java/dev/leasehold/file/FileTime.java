package dev.leasehold.file;

/**
 * The moment at which a lock file was written. Time is counted on from there by the host's monotonic clock, so the wall
 * clock is asked only when there is no file yet, or when the host was booted since.
 *
 * @param domain where the monotonic clock means something; {@value #NONE} if it is not known
 * @param micros since 1970, by this file's own count
 */
record FileTime(String domain, long micros, long monotonicMicros) {
    private static final String NONE = "none";

    /** By the wall clock, for a file that is made now. */
    static FileTime first(Machine machine) {
        String domain = machine.processes().clockDomain();
        return new FileTime(
                domain == null ? NONE : domain,
                machine.wallMicros().getAsLong(),
                machine.monotonicMicros().getAsLong());
    }

    /** Now, counted on from when the file was written. */
    FileTime later(Machine machine) {
        long monotonic = machine.monotonicMicros().getAsLong();
        boolean goesOn = domain.equals(machine.processes().clockDomain()) && monotonic >= monotonicMicros;
        return goesOn ? new FileTime(domain, micros + monotonic - monotonicMicros, monotonic) : first(machine);
    }
}
