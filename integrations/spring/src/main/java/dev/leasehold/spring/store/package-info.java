/** The store and the clients of an application, as beans: {@link dev.leasehold.spring.store.StoreAutoConfiguration}. */
@NullMarked
package dev.leasehold.spring.store;

import org.jspecify.annotations.NullMarked;
