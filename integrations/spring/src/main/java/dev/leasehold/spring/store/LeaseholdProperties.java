package dev.leasehold.spring.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Leasehold.
 *
 * @param store Frequent: which of the application's own stores is used, if it has more than one.
 * @param storeUrl Essential without a database, Redis or Firestore of the application's own: the URL of the store, such as
 *     jdbc:postgresql://host/db or redis://host. It goes before what the application has.
 * @param storeUser Essential with a store URL that needs a login: the user.
 * @param storePassword Essential with a store URL that needs a login: the password.
 * @param createTables Essential: whether missing tables are created. If true, when the store is opened. If not set, after
 *     Flyway or Liquibase, if the application has one of them. If false, never.
 * @param ttl Frequent: how long a process that died blocks the others, unless an annotation says otherwise. A lease in use
 *     is renewed.
 * @param shutdownGrace Frequent: how long work under a lease may go on when the application ends. The end does not wait longer
 *     than the work.
 * @param owner Rare: who is said to hold leases. By default the process and host.
 * @param history Rare: keeps a history of what happened to keys, for so long. By default none is kept.
 * @param connections Rare: how many connections of the application's DataSource serve acquires and releases. Up to two more
 *     serve renewals and wake-ups, so the pool needs at least three more than this.
 * @param acceptLostCommits Rare: opens a database although its settings mean that a crash can forget a lease.
 */
@ConfigurationProperties("leasehold")
public record LeaseholdProperties(
        @Nullable String storeUrl,
        @Nullable String storeUser,
        @Nullable String storePassword,
        @Nullable Boolean createTables,
        @Nullable StoreKind store,
        @DefaultValue("30s") Duration ttl,
        @DefaultValue("30s") Duration shutdownGrace,
        @Nullable String owner,
        @Nullable Duration history,
        @DefaultValue("2") int connections,
        @DefaultValue("false") boolean acceptLostCommits) {
    /** Without the login. */
    @Override
    public String toString() {
        return "LeaseholdProperties[store=" + store + ", ttl=" + ttl + "]";
    }
}
