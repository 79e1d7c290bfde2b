/**
 * Leases by annotation: {@link dev.leasehold.spring.annotation.Locked} lets one caller at a time into a method,
 * {@link dev.leasehold.spring.annotation.RunOnce} also keeps what the method returned.
 */
@NullMarked
package dev.leasehold.spring.annotation;

import org.jspecify.annotations.NullMarked;
