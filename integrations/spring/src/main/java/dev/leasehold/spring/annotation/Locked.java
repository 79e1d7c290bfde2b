package dev.leasehold.spring.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets one caller at a time into a method of a bean, in all processes on the same store. The lease is renewed while the method
 * runs, and released when it returns or throws; if it returns a {@code CompletableFuture} or {@code CompletionStage}, when that
 * completes. With {@code @Transactional} on the same method, the lease is acquired before the transaction begins and released
 * after it has ended.
 *
 * <p>If the lease is lost while the method runs, the call ends in {@link dev.leasehold.lease.LeaseLostException} unless the
 * method throws. Work that must not go on then takes a parameter of type {@link dev.leasehold.lease.Lease} and calls
 * {@code ensure()} before each effect, or hands its {@link dev.leasehold.store.Fence} along. Callers pass null for such a
 * parameter.
 *
 * <p>The store's failures are thrown as {@link dev.leasehold.lease.LeaseException}; the method is not called then. A call inside
 * a transaction of the caller's is refused with an {@link IllegalStateException}, because the lease would end before the commit.
 * A lease is not re-entrant: a method that calls another one with the same key is busy with itself.
 *
 * <p>The method must be called through the bean. The start fails if it is private, final or static, if its own class calls it
 * past the bean, or if a setting here cannot be read.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {
    /**
     * What is locked: text with parts between slashes. A part may have one expression of Spring's, such as
     * {@code sync/#{#sheet}} for the parameter {@code sheet}. A slash in its value is escaped, and null or an empty text is
     * refused. Properties are replaced: {@code ${app.name}/nightly}.
     */
    String key();

    /** How long a process that died blocks the others, such as {@code 30s}; by default the property {@code leasehold.ttl}. */
    String ttl() default "";

    /** How long a call waits in line for the key, such as {@code 5s}; by default not at all. */
    String waitFor() default "";

    /** What a call does that does not get the key. */
    OnBusy onBusy() default OnBusy.SKIP;

    /** Interrupts the thread of the method when the lease is lost. Without effect on work that goes on elsewhere. */
    boolean interruptOnLoss() default false;
}
