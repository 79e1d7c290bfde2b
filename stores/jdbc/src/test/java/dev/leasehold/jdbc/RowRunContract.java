package dev.leasehold.jdbc;

import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.record.RecordRunContract;
import dev.leasehold.tck.record.RecordsUnderTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs on rows of a user's table, in each database and with what tells a holder: a nonce, or a fence alone. */
abstract class RowRunContract extends RecordRunContract {
    private static final RowMapping FENCED = RowMapping.of("jobs")
            .key("id")
            .keyPrefix("jobs/")
            .owner("lock_owner")
            .expiry("lock_expiry")
            .heartbeat("lock_heartbeat")
            .fence("lock_fence")
            .attempts("attempts")
            .doneWhen("status", "READY")
            .failedWhen("status", "FAILED")
            .reason("error")
            .writes("text", "words");

    abstract DataSource source();

    abstract Dialect dialect();

    /** What tells a holder. */
    RowMapping mapping() {
        return FENCED;
    }

    @Override
    protected final RecordsUnderTest recordsUnderTest() {
        return new Rows(source(), dialect(), mapping());
    }

    private static final class Rows implements RecordsUnderTest {
        private final DataSource source;
        private final Dialect dialect;
        private final RowMapping mapping;

        Rows(DataSource source, Dialect dialect, RowMapping mapping) {
            this.source = source;
            this.dialect = dialect;
            this.mapping = mapping;
            String time = switch (dialect) {
                case POSTGRESQL -> "timestamptz";
                case MYSQL -> "timestamp(6) NULL";
                case H2 -> "timestamp(6) with time zone";
                case SQLITE -> "text";
            };
            String nullTime = dialect == Dialect.MYSQL ? time + " DEFAULT NULL" : time;
            change("DROP TABLE IF EXISTS jobs");
            change("CREATE TABLE jobs (id varchar(64) PRIMARY KEY, status varchar(20), text varchar(200),"
                    + " note varchar(200), error varchar(200), words bigint, attempts int, lock_owner varchar(100),"
                    + " lock_expiry " + nullTime + ", lock_heartbeat " + nullTime + ", lock_fence bigint,"
                    + " lock_nonce varchar(32))");
        }

        @Override
        public LeaseStore open() {
            return JdbcLeaseStore.builder(source).onRows(mapping);
        }

        @Override
        public Key keyOf(String id) {
            return mapping.keyOf(id);
        }

        @Override
        public String nameOf(String id) {
            return "jobs/" + id;
        }

        @Override
        public void create(String id, @Nullable String status, String text) {
            change("INSERT INTO jobs (id, status, text) VALUES (?, ?, ?)", id, status, text);
        }

        @Override
        public void set(String id, String field, @Nullable Object value) {
            change("UPDATE jobs SET " + field + " = ? WHERE id = ?", value, id);
        }

        @Override
        public void expire(String id) {
            String past = switch (dialect) {
                case POSTGRESQL, H2 -> "TIMESTAMP WITH TIME ZONE '2001-01-01 00:00:00+00:00'";
                case MYSQL -> "'2001-01-02 00:00:00'";
                case SQLITE -> "'2001-01-01 00:00:00'";
            };
            change("UPDATE jobs SET lock_expiry = " + past + " WHERE id = ?", id);
        }

        @Override
        public Fields read(String id) {
            try (Connection connection = source.getConnection();
                    PreparedStatement statement = connection.prepareStatement("SELECT * FROM jobs WHERE id = ?")) {
                statement.setString(1, id);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    Fields fields = Fields.of("locked", row.getString("lock_expiry") != null)
                            .and("heard", row.getString("lock_heartbeat") != null);
                    for (String name : new String[] {"id", "status", "text", "note", "error"}) {
                        fields = fields.and(name, row.getString(name));
                    }
                    for (String name : new String[] {"words", "attempts"}) {
                        long number = row.getLong(name);
                        fields = fields.and(name, row.wasNull() ? null : number);
                    }
                    return fields;
                }
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        private void change(String sql, @Nullable Object... values) {
            try (Connection connection = source.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.executeUpdate();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {}
    }
}
