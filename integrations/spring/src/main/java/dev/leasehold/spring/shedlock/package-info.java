/** ShedLock on Leasehold: {@link dev.leasehold.spring.shedlock.LeaseLockProvider}. */
@NullMarked
package dev.leasehold.spring.shedlock;

import org.jspecify.annotations.NullMarked;
