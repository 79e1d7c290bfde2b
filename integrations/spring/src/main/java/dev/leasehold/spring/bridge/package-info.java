/** What the bridges to other locks share; not for users. */
@NullMarked
package dev.leasehold.spring.bridge;

import org.jspecify.annotations.NullMarked;
