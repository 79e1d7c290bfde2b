/** The contract for runs on records of the user's own: rows and documents. For authors of such stores. */
@NullMarked
package dev.leasehold.tck.record;

import org.jspecify.annotations.NullMarked;
