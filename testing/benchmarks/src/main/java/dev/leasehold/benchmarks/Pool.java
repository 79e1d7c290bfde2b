package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/** The pool that most applications have, of the size that most of them leave it at. */
final class Pool {
    static final int CONNECTIONS = 10;

    private Pool() {}

    static HikariDataSource on(DataSource source) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(config);
    }
}
