package dev.leasehold.moc;

import dev.leasehold.servers.Database;
import dev.leasehold.servers.OpenSearchServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.S3Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A database, a bucket and an index of one's own on real servers that all tests share, and what is in them, looked at past the
 * application.
 */
final class World implements AutoCloseable {
    /** Started by the first test that needs them; they end with this JVM. */
    private static final class Servers {
        static final S3Server S3 = S3Server.start();
        static final OpenSearchServer OPENSEARCH = OpenSearchServer.start();
    }

    private final Database database = PostgresServer.shared(17).freshDatabase();
    private final String name = "mocs-" + UUID.randomUUID();
    private final S3Client objects = S3Client.builder()
            .region(Region.US_EAST_1)
            .endpointOverride(Servers.S3.endpoint())
            .forcePathStyle(true)
            .credentialsProvider(StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(Servers.S3.accessKey(), Servers.S3.secretKey())))
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .build();
    final FaultyHttp s3 = new FaultyHttp(Servers.S3.endpoint());
    final FaultyHttp search = new FaultyHttp(Servers.OPENSEARCH.url());
    final JdbcClient sql =
            JdbcClient.create(new DriverManagerDataSource(database.url(), database.user(), database.password()));

    World() {
        Servers.S3.createBucket(name);
    }

    /** The settings of an instance on it. */
    Map<String, String> environment() {
        return new HashMap<>(Map.of(
                "PORT", "0",
                "SPRING_DATASOURCE_URL", database.url(),
                "SPRING_DATASOURCE_USERNAME", database.user(),
                "SPRING_DATASOURCE_PASSWORD", database.password(),
                "S3_ENDPOINT", s3.url().toString(),
                "S3_BUCKET", name,
                "AWS_ACCESS_KEY_ID", Servers.S3.accessKey(),
                "AWS_SECRET_ACCESS_KEY", Servers.S3.secretKey(),
                "OPENSEARCH_URL", search.url().toString(),
                "OPENSEARCH_INDEX", name));
    }

    Map<String, String> environment(String variable, String value) {
        Map<String, String> environment = environment();
        environment.put(variable, value);
        return environment;
    }

    /** Notes from now on each change of a row: {@code locked}, {@code renewed}, {@code cleared} or {@code finalized}. */
    void noteChanges() {
        sql.sql("CREATE TABLE changes (n bigserial, moc_id uuid, what text, thumbnail text)")
                .update();
        sql.sql("""
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO changes (moc_id, what, thumbnail) VALUES (NEW.id, CASE
                        WHEN OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL
                            AND OLD.finalizing_at IS NOT NULL AND NEW.finalizing_at IS NULL THEN 'finalized'
                        WHEN NEW.finalized_at IS NOT DISTINCT FROM OLD.finalized_at AND NEW.finalizing_at IS NULL
                            THEN 'cleared'
                        WHEN NEW.finalized_at IS NULL AND NEW.finalize_fence IS DISTINCT FROM OLD.finalize_fence
                            THEN 'locked'
                        WHEN NEW.finalized_at IS NULL THEN 'renewed'
                        ELSE 'changed after it was finalized' END, NEW.thumbnail_key);
                    RETURN NEW;
                END $$""").update();
        sql.sql("CREATE TRIGGER note AFTER UPDATE ON moc_instructions FOR EACH ROW EXECUTE FUNCTION note()")
                .update();
    }

    List<String> changes(String id) {
        return sql.sql("SELECT what FROM changes WHERE moc_id = CAST(? AS uuid) ORDER BY n")
                .param(id)
                .query(String.class)
                .list();
    }

    Map<String, @Nullable Object> row(String id) {
        return sql.sql("SELECT * FROM moc_instructions WHERE id = CAST(? AS uuid)")
                .param(id)
                .query()
                .singleRow();
    }

    long fence(String id) {
        return ((Number) Objects.requireNonNull(row(id).get("finalize_fence"))).longValue();
    }

    /** Sets when the row was locked, as if that had been so many minutes ago. */
    void lockedSince(String id, int minutes) {
        sql.sql(
                        "UPDATE moc_instructions SET finalizing_at = now() - make_interval(mins => ?) WHERE id = CAST(? AS uuid)")
                .params(minutes, id)
                .update();
    }

    long count(String table) {
        return sql.sql("SELECT count(*) FROM " + table).query(Long.class).single();
    }

    /** The keys of a MOC's objects. */
    List<String> objects(String id) {
        return objects.listObjectsV2(request -> request.bucket(name).prefix("mocs/" + id + "/")).contents().stream()
                .map(S3Object::key)
                .toList();
    }

    byte[] object(String key) {
        return objects.getObjectAsBytes(request -> request.bucket(name).key(key))
                .asByteArray();
    }

    void writeObject(String key, byte[] bytes) {
        objects.putObject(
                request -> request.bucket(name).key(key),
                software.amazon.awssdk.core.sync.RequestBody.fromBytes(bytes));
    }

    void deleteObject(String key) {
        objects.deleteObject(request -> request.bucket(name).key(key));
    }

    private JsonNode ask(String method, String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(Servers.OPENSEARCH.url() + "/" + name + path))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            return JsonMapper.shared()
                    .readTree(HttpClient.newHttpClient()
                            .send(request, BodyHandlers.ofString())
                            .body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The document of a MOC with its version, as OpenSearch has it. */
    JsonNode document(String id) {
        return ask("GET", "/_doc/" + id);
    }

    /** Makes all documents findable; gives their number. */
    long refresh() {
        ask("POST", "/_refresh");
        return ask("GET", "/_count").get("count").asLong();
    }

    @Override
    public void close() {
        s3.close();
        search.close();
        objects.close();
        database.close();
    }
}
