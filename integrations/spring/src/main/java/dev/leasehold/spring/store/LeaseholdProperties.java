package dev.leasehold.spring.store;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings of Leasehold.
 *
 * @param storeUrl Essential, unless the application has a database, Redis or Firestore: the URL of the store, such as
 *     jdbc:postgresql://host/db or redis://host.
 */
@ConfigurationProperties("leasehold")
public record LeaseholdProperties(@Nullable String storeUrl) {}
