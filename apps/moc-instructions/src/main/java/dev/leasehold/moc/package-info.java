/**
 * Building instructions ("MOCs") that are uploaded to S3 and then finalized once, however often that is asked for.
 * {@link dev.leasehold.moc.Main} starts it; {@link dev.leasehold.moc.Finalizer} is the run on the user's own row.
 */
@NullMarked
package dev.leasehold.moc;

import org.jspecify.annotations.NullMarked;
