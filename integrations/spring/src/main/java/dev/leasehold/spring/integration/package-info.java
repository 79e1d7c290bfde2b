/** Spring Integration on Leasehold: {@link dev.leasehold.spring.integration.LeaseLockRegistry}. */
@NullMarked
package dev.leasehold.spring.integration;

import org.jspecify.annotations.NullMarked;
