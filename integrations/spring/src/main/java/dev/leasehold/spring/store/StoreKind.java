package dev.leasehold.spring.store;

/** A store that the application has for other purposes already. */
public enum StoreKind {
    /** Its DataSource. */
    JDBC("a DataSource", "leasehold-jdbc"),
    /** Its RedisConnectionFactory. */
    REDIS("a RedisConnectionFactory", "leasehold-redis"),
    /** Its Firestore client. */
    FIRESTORE("a Firestore client", "leasehold-firestore");

    final String bean;
    final String module;

    StoreKind(String bean, String module) {
        this.bean = bean;
        this.module = module;
    }
}
