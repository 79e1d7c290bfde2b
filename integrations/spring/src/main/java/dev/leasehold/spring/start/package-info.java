/** What an application is told that cannot start. */
@NullMarked
package dev.leasehold.spring.start;

import org.jspecify.annotations.NullMarked;
