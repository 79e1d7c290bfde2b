/** Leasehold makes work run once. Start at {@link dev.leasehold.Leasehold}. */
@NullMarked
package dev.leasehold;

import org.jspecify.annotations.NullMarked;
