package dev.leasehold.analysis;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Rows in PostgreSQL. */
final class Rows implements Place {
    private final Database database = PostgresServer.shared(17).freshDatabase();
    private final JdbcClient sql =
            JdbcClient.create(new DriverManagerDataSource(database.url(), database.user(), database.password()));

    Rows() {
        RowAnalyses.open(database.url(), database.user(), database.password()).close();
        sql.sql("CREATE TABLE changes (n serial, id text, what text)").update();
        sql.sql("""
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO changes (id, what) VALUES
                        (NEW.id, NEW.status || coalesce(' locked by ' || NEW.lock_owner, '')
                            || coalesce(' fence ' || NEW.lock_fence, ''));
                    RETURN NEW;
                END $$""").update();
        sql.sql("CREATE TRIGGER note AFTER UPDATE ON analyses FOR EACH ROW EXECUTE FUNCTION note()")
                .update();
    }

    @Override
    public Settings settings(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment());
        all.putAll(environment);
        return Settings.of(List.of(), all);
    }

    @Override
    public Map<String, String> environment() {
        return Map.of(
                "PORT",
                "0",
                "LEASEHOLD_STORE",
                database.url(),
                "LEASEHOLD_STORE_USER",
                database.user(),
                "LEASEHOLD_STORE_PASSWORD",
                database.password());
    }

    private static String column(String field) {
        return field.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    @Override
    public Map<String, @Nullable Object> read(String id) {
        List<Map<String, @Nullable Object>> rows =
                sql.sql("SELECT * FROM analyses WHERE id = ?").param(id).query().listOfRows();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        rows.stream().flatMap(row -> row.entrySet().stream()).forEach(entry -> {
            StringBuilder name = new StringBuilder();
            for (String part : entry.getKey().split("_", -1)) {
                name.append(name.isEmpty() ? part : part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1));
            }
            Object value = entry.getValue();
            fields.put(name.toString(), value instanceof Timestamp time ? time.toInstant() : value);
        });
        return fields;
    }

    @Override
    public void write(String id, Map<String, @Nullable Object> fields) {
        if (read(id).isEmpty()) {
            sql.sql("INSERT INTO analyses (id, status, text) VALUES (?, 'PENDING', 'a text')")
                    .param(id)
                    .update();
        }
        fields.forEach((field, value) -> sql.sql("UPDATE analyses SET " + column(field) + " = ? WHERE id = ?")
                .param(value instanceof Instant moment ? Timestamp.from(moment) : value)
                .param(id)
                .update());
    }

    @Override
    public List<String> changes(String id) {
        return sql.sql("SELECT what FROM changes WHERE id = ? ORDER BY n")
                .param(id)
                .query(String.class)
                .list();
    }

    /** The rival's transaction has the row, uncommitted, while the acquire statement looks at it. */
    @Override
    public void finishWhileAcquiring(String id, Runnable acquiring) {
        try (Connection rival = database.connect();
                var statement = rival.prepareStatement("UPDATE analyses SET status = 'READY' WHERE id = ?")) {
            rival.setAutoCommit(false);
            statement.setString(1, id);
            statement.executeUpdate();
            Thread acquirer = new Thread(acquiring);
            acquirer.start();
            awaitStatement();
            rival.commit();
            acquirer.join();
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns when the acquirer's statement has seen the row, or has been answered. */
    private void awaitStatement() throws InterruptedException {
        Thread.sleep(20); // Too early or too late, the outcome must be the same.
    }

    @Override
    public void fail() {
        sql.sql("ALTER TABLE analyses RENAME TO elsewhere").update();
    }

    @Override
    public void repair() {
        sql.sql("ALTER TABLE elsewhere RENAME TO analyses").update();
    }

    @Override
    public Object time(Instant moment) {
        return moment;
    }

    @Override
    public void close() {
        database.close();
    }
}
