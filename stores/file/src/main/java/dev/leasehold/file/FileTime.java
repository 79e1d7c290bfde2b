package dev.leasehold.file;

import org.jspecify.annotations.Nullable;

/**
 * The moment at which a lock file was written. Where only one host uses the file, time is counted on from there by the
 * host's monotonic clock, so the wall clock is asked only when there is no file yet, or when the host was booted since.
 * Several hosts share nothing but the wall clock.
 *
 * @param domain where the monotonic clock means something; {@value #NONE} if nowhere
 * @param micros since 1970, by this file's own count
 */
record FileTime(String domain, long micros, long monotonicMicros) {
    private static final String NONE = "none";

    /**
     * By the wall clock, for a file that is made now.
     *
     * @param allowsOtherHosts whether several hosts may use the file
     * @throws dev.leasehold.store.StoreException if this process cannot count time as the others of its host do
     */
    static FileTime first(Machine machine, boolean allowsOtherHosts) {
        @Nullable String domain = allowsOtherHosts ? null : machine.processes().clockDomain();
        long wall = machine.wallMicros().getAsLong();
        return domain == null ? new FileTime(NONE, wall, 0) : new FileTime(domain, wall, machine.hostMicros());
    }

    /** Now, counted on from when the file was written. */
    FileTime later(Machine machine, boolean allowsOtherHosts) {
        FileTime now = first(machine, allowsOtherHosts);
        long passed = now.monotonicMicros - monotonicMicros;
        boolean goesOn = !domain.equals(NONE) && domain.equals(now.domain) && passed >= 0;
        return goesOn ? new FileTime(domain, micros + passed, now.monotonicMicros) : now;
    }
}
