package dev.leasehold.file;

/**
 * Which process acts for a lease, so that others on the host can tell when it is gone.
 *
 * @param boot which run of the kernel; random, so no two hosts share one
 * @param namespace where the process number and the start time mean what they say
 * @param start when it started, in the kernel's own count: tells a process from a later one with its number
 */
record ProcessMark(String boot, String namespace, long pid, long start) {
    ProcessMark {
        if (boot.isBlank() || namespace.isBlank() || boot.contains(" ") || namespace.contains(" ") || pid < 1) {
            throw new IllegalArgumentException("not a process: " + boot + " " + namespace + " " + pid);
        }
    }

    static ProcessMark parse(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length != 4) {
            throw new IllegalArgumentException("a process is four words, not \"" + text + "\"");
        }
        return new ProcessMark(parts[0], parts[1], Long.parseLong(parts[2]), Long.parseLong(parts[3]));
    }

    /** Four words, which {@link #parse} reads. */
    @Override
    public String toString() {
        return boot + " " + namespace + " " + pid + " " + start;
    }
}
