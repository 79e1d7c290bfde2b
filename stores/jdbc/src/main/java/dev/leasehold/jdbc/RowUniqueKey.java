package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Whether a table of the user's schema can hold a key only once. Where a lease is a row that acquire inserts, nothing
 * else keeps two callers apart. An index on several columns, on some of the rows or on an expression does not do; nor
 * one that PostgreSQL could not build.
 */
final class RowUniqueKey {
    private static final String POSTGRESQL = "SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
            + " AND a.attnum = i.indkey[0] WHERE i.indrelid = CAST(? AS regclass) AND a.attname = ?"
            + " AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 1 AND i.indpred IS NULL"
            + " AND i.indexprs IS NULL";
    private static final String MYSQL = "SELECT 1 FROM information_schema.statistics WHERE table_schema = database()"
            + " AND table_name = ? AND non_unique = 0 GROUP BY index_name"
            + " HAVING count(*) = 1 AND max(column_name) = ? AND max(sub_part) IS NULL";
    private static final String H2 = "SELECT 1 FROM information_schema.index_columns WHERE table_schema = schema()"
            + " AND table_name = ? AND is_unique GROUP BY index_schema, index_name"
            + " HAVING count(*) = 1 AND max(column_name) = ?";
    /** A whole number that is the primary key of its table has no index in SQLite. */
    private static final String SQLITE = "WITH t(name, key) AS (SELECT ?, ?)"
            + " SELECT 1 FROM t, pragma_index_list(t.name) i WHERE i.\"unique\" = 1 AND i.partial = 0"
            + " AND (SELECT group_concat(coalesce(c.name, '')) FROM pragma_index_info(i.name) c) = t.key"
            + " UNION ALL SELECT 1 FROM t WHERE t.key ="
            + " (SELECT group_concat(c.name) FROM pragma_table_info(t.name) c WHERE c.pk > 0)";

    private RowUniqueKey() {}

    /** Both names as the database spells them; PostgreSQL's table with its schema and quotes, as in a statement. */
    static boolean isIn(Connection connection, Dialect dialect, String table, String column) throws SQLException {
        String query = switch (dialect) {
            case POSTGRESQL -> POSTGRESQL;
            case MYSQL -> MYSQL;
            case SQLITE -> SQLITE;
            case H2 -> H2;
        };
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, table);
            statement.setString(2, column);
            try (ResultSet found = statement.executeQuery()) {
                return found.next();
            }
        }
    }

    static StoreException missing(String table, String column) {
        return new StoreException("The table " + table + " could hold the same key twice, and two callers could then"
                + " have the same lock, because its column " + column + " has no unique index of its own."
                + " Run: CREATE UNIQUE INDEX " + table + "_" + column + " ON " + table + " (" + column + ")");
    }
}
