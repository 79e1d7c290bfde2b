/** {@link dev.leasehold.memory.MemoryLeaseStore}: leases in this process, for tests and for work in one JVM. */
@NullMarked
package dev.leasehold.memory;

import org.jspecify.annotations.NullMarked;
