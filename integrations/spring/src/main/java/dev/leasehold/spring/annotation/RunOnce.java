package dev.leasehold.spring.annotation;

import dev.leasehold.once.Verdict;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Does the work of a bean's method once for each key: what it returned is kept, and later callers in any process are given that.
 * Text, bytes and null are kept as they are, other results as JSON by {@code leasehold-jackson}.
 *
 * <p>With {@code @Transactional} on the same method, and leases in the database of that transaction, effects and answer are
 * committed together, or neither is. In all other cases the answer is kept after the method has returned: a process that dies
 * in between leaves the work to be done again.
 *
 * <p>A call that has no answer throws {@link NoAnswerException}. What the method itself throws is thrown as it is, unless it is
 * kept as the answer. A parameter of type {@link dev.leasehold.once.Run}, {@link dev.leasehold.lease.Lease} or
 * {@link dev.leasehold.store.Fence} is filled in; callers pass null for it.
 *
 * <p>The same rules hold for the method as with {@link Locked}; it cannot return a future. Do not use one key for both.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RunOnce {
    /** What the work is; see {@link Locked#key}. */
    String key();

    /** How long the answer is kept and given, such as {@code 30d}. After that the key is new. */
    String retain() default "1d";

    /**
     * What an exception of the method means. A {@link dev.leasehold.once.TerminalException} is kept in any case.
     */
    Verdict onFailure() default Verdict.CLEAR;

    /** How long a process that died blocks the others, such as {@code 30s}; by default the property {@code leasehold.ttl}. */
    String ttl() default "";

    /** How long a call waits for another caller's answer, such as {@code 5s}; by default not at all. */
    String waitFor() default "";

    /** What a call does while another caller does the work. */
    OnBusy onBusy() default OnBusy.FAIL;

    /** Interrupts the thread of the method when the lease is lost. */
    boolean interruptOnLoss() default false;
}
