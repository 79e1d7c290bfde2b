/**
 * Stores under real processes that are killed, stopped and many: store authors extend
 * {@link dev.leasehold.tck.process.RunOnceProcessContract}. {@link dev.leasehold.tck.process.ChildJvm} serves other tests
 * that need a second process.
 */
@NullMarked
package dev.leasehold.tck.process;

import org.jspecify.annotations.NullMarked;
