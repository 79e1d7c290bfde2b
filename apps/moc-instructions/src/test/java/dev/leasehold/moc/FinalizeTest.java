package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.moc.FaultyHttp.Fate;
import java.awt.Color;
import java.io.ByteArrayInputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.config.BeanPostProcessor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Two instances on PostgreSQL, an S3 server and an OpenSearch node, over HTTP; what they keep is looked at past them. */
@DisplayName("Finalize")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(90)
class FinalizeTest {
    private static final Upload PLAN = Upload.text("plan.txt", "Take two bricks.");
    private static final Upload RED = Upload.png("red.png", 900, 300, Color.RED);
    private static final Upload BLUE = Upload.png("blue.png", 300, 900, Color.BLUE);

    private final Output output = new Output();
    private World world;
    private Instance first;
    private Instance second;

    @BeforeAll
    void start() {
        world = new World();
        first = Instance.start(world.environment());
        second = Instance.start(world.environment());
        world.noteChanges();
    }

    @AfterEach
    void heal() {
        world.s3.heal();
        world.search.heal();
    }

    @AfterAll
    void end() {
        second.close();
        first.close();
        world.close();
        output.close();
    }

    private static String title() {
        return "Castle " + UUID.randomUUID();
    }

    /** An uploaded MOC that is not finalized. */
    private String open() {
        return first.calls.create(title(), PLAN, RED);
    }

    private static boolean isIndexing(FaultyHttp.Request request, String id) {
        return request.is("PUT", "/_doc/" + id);
    }

    private void judgeIndexing(String id, Fate fate) {
        world.search.judge(request -> isIndexing(request, id) ? fate : Fate.PASS);
    }

    private int requestsFor(String id) {
        return world.s3.requests("", id).size() + world.search.requests("", id).size();
    }

    private void assertIsOpen(String id) {
        assertThat(world.row(id))
                .containsEntry("finalizing_at", null)
                .containsEntry("finalized_at", null)
                .containsEntry("thumbnail_key", null);
    }

    private static JsonNode withoutIdempotent(Reply reply) {
        return ((ObjectNode) reply.json()).without("idempotent");
    }

    @Test
    @Tag("FINALIZE-1")
    @DisplayName(
            "Each of any number of calls answers 200: the record, or that it is being finalized, or the same record again")
    void anyNumberOfCalls() throws Exception {
        String id = open();
        judgeIndexing(id, Fate.HOLD);
        CompletableFuture<Reply> running = first.calls.finalizeLater(id);
        world.search.awaitHeld();
        for (Instance instance : List.of(first, second)) {
            Reply meanwhile = instance.calls.finalizeOnce(id);
            assertThat(meanwhile.isFinalizing()).as(meanwhile.text()).isTrue();
            assertThat(Integer.parseInt(meanwhile.retryAfter())).isBetween(1, 300);
        }
        world.search.letGo();
        Reply finalized = running.join();
        assertThat(finalized.isFinalized()).as(finalized.text()).isTrue();
        assertThat(finalized.json().has("idempotent")).isFalse();
        assertThat(finalized.member("id")).isEqualTo(id);
        assertThat(Instant.parse(finalized.member("finalizedAt")))
                .isBefore(Instant.now().plusSeconds(60));
        for (int i = 0; i < 5; i++) {
            Reply again = (i % 2 == 0 ? second : first).calls.finalizeOnce(id);
            assertThat(again.status()).isEqualTo(200);
            assertThat(again.isIdempotent()).isTrue();
            assertThat(withoutIdempotent(again)).isEqualTo(finalized.json());
        }
        assertThat(second.calls.read(id).json()).isEqualTo(finalized.json());
    }

    @Test
    @Tag("FINALIZE-2")
    @DisplayName(
            "Only the holder verifies each file, makes the thumbnail and indexes the document; the others change nothing")
    void holderAlone() throws Exception {
        String id = first.calls.create(title(), "blue.png", PLAN, RED, BLUE);
        int before = requestsFor(id);
        judgeIndexing(id, Fate.HOLD);
        CompletableFuture<Reply> running = first.calls.finalizeLater(id);
        world.search.awaitHeld();
        int atTheIndex = requestsFor(id);
        assertThat(second.calls.finalizeOnce(id).isFinalizing()).isTrue();
        assertThat(first.calls.finalizeOnce(id).isFinalizing()).isTrue();
        assertThat(requestsFor(id)).isEqualTo(atTheIndex);
        assertThat(world.changes(id)).containsExactly("locked");
        world.search.letGo();
        Reply finalized = running.join();
        assertThat(finalized.isFinalized()).as(finalized.text()).isTrue();
        // Three files looked at, one of them read, one thumbnail, one document.
        assertThat(requestsFor(id) - before).isEqualTo(6);
        for (int i = 0; i < 3; i++) {
            assertThat(world.s3.requests("HEAD", id + "/file-" + i)).hasSize(1);
        }
        String key = finalized.member("thumbnailKey");
        assertThat(world.s3.requests("PUT", id + "/thumbnail-")).hasSize(1);
        assertThat(world.objects(id)).hasSize(4).contains(key);
        var thumbnail = ImageIO.read(new ByteArrayInputStream(world.object(key)));
        assertThat(thumbnail.getHeight()).isEqualTo(400);
        assertThat(thumbnail.getWidth()).isEqualTo(133);
        assertThat(new Color(thumbnail.getRGB(60, 200)).getBlue()).isGreaterThan(240);
        assertThat(world.search.requests("PUT", "/_doc/" + id)).hasSize(1);
        JsonNode document = world.document(id);
        assertThat(document.get("_version").asLong()).isEqualTo(world.fence(id));
        assertThat(document.get("_source").get("title").asString()).isEqualTo(finalized.member("title"));

        int afterwards = requestsFor(id);
        assertThat(second.calls.finalizeOnce(id).isIdempotent()).isTrue();
        assertThat(first.calls.finalizeOnce(id).isIdempotent()).isTrue();
        assertThat(requestsFor(id)).isEqualTo(afterwards);
        assertThat(world.changes(id)).containsExactly("locked", "finalized");
    }

    /** An instance whose statements are noted. */
    private Instance noted(List<String> statements) {
        BeanPostProcessor noting = new BeanPostProcessor() {
            @Override
            public @Nullable Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof DataSource source
                        ? Proxy.newProxyInstance(
                                DataSource.class.getClassLoader(),
                                new Class<?>[] {DataSource.class},
                                (self, method, arguments) -> {
                                    Object result = call(method, source, arguments);
                                    return result instanceof Connection connection
                                            ? noted(connection, statements)
                                            : result;
                                })
                        : bean;
            }
        };
        return Instance.start(
                world.environment(), beans -> beans.getBeanFactory().addBeanPostProcessor(noting));
    }

    private static Object noted(Connection connection, List<String> statements) {
        return Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        statements.add(String.valueOf(arguments[0]));
                    }
                    return call(method, connection, arguments);
                });
    }

    private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    @Test
    @Tag("FINALIZE-3")
    @DisplayName(
            "One conditional statement locks the row and returns it, if it is not finalized and its lock is free or stale")
    void oneConditionalStatement() {
        List<String> statements = new CopyOnWriteArrayList<>();
        try (Instance noted = noted(statements)) {
            String id = open();
            statements.clear();
            assertThat(noted.calls.finalizeOnce(id).isFinalized()).isTrue();
            List<String> onTheRow = statements.stream()
                    .filter(sql -> sql.contains("moc_instructions"))
                    .toList();
            // Whose is it? Lock and read. Finalize and read back.
            assertThat(onTheRow).hasSize(3);
            assertThat(onTheRow.get(0)).startsWith("SELECT 1 FROM moc_instructions WHERE id = ? AND user_id = ?");
            assertThat(onTheRow.get(1))
                    .contains("UPDATE")
                    .contains("RETURNING")
                    .contains("finalizing_at")
                    .contains("finalized_at")
                    .contains("title");
            assertThat(onTheRow.get(2)).contains("UPDATE").contains("RETURNING").contains("finalized_at");
        }
        String locked = open();
        world.lockedSince(locked, 4);
        assertThat(second.calls.finalizeOnce(locked).isFinalizing()).isTrue();
        assertThat(world.row(locked)).containsEntry("finalize_fence", null);
        world.lockedSince(locked, 6);
        assertThat(second.calls.finalizeOnce(locked).isFinalized()).isTrue();
        String finalized = open();
        world.sql
                .sql("UPDATE moc_instructions SET finalized_at = now() WHERE id = CAST(? AS uuid)")
                .param(finalized)
                .update();
        assertThat(second.calls.finalizeOnce(finalized).isIdempotent()).isTrue();
        assertThat(world.objects(finalized)).hasSize(2);

        String contended = open();
        List<CompletableFuture<Reply>> replies = IntStream.range(0, 16)
                .mapToObj(i -> (i % 2 == 0 ? first : second).calls.finalizeLater(contended))
                .toList();
        assertThat(replies)
                .filteredOn(reply -> reply.join().isFinalized() && !reply.join().isIdempotent())
                .hasSize(1);
        assertThat(replies).allMatch(reply -> reply.join().status() == 200);
        assertThat(world.changes(contended)).containsExactly("locked", "finalized");
    }

    @Test
    @Tag("FINALIZE-4")
    @DisplayName(
            "One statement finalizes and unlocks; work that fails after its first write leaves the row as it was, and can be repeated")
    void allOrNothing() {
        String id = open();
        assertThat(first.calls.finalizeOnce(id).isFinalized()).isTrue();
        // "finalized": both columns, and the thumbnail with them, changed in one update.
        assertThat(world.changes(id)).containsExactly("locked", "finalized");
        assertThat(world.sql
                        .sql("SELECT thumbnail FROM changes WHERE what = 'finalized' AND moc_id = CAST(? AS uuid)")
                        .param(id)
                        .query(String.class)
                        .single())
                .isEqualTo(world.row(id).get("thumbnail_key"));

        // The thumbnail is the first write; then the index fails, before or after it has written.
        for (Fate fate : List.of(Fate.FAIL, Fate.CUT, Fate.LOSE_REPLY)) {
            String failing = open();
            judgeIndexing(failing, fate);
            Reply failed = first.calls.finalizeOnce(failing);
            assertThat(failed.isProblem(503, "search-down")).as(failed.text()).isTrue();
            assertThat(failed.retryAfter()).isEqualTo("5");
            assertThat(world.objects(failing)).hasSize(3);
            assertThat(world.document(failing).path("found").asBoolean(false)).isEqualTo(fate == Fate.LOSE_REPLY);
            assertIsOpen(failing);
            assertThat(world.changes(failing)).containsExactly("locked", "cleared");
            world.refresh();
            String words = first.calls.read(failing).member("title");
            assertThat(first.calls.search(words)).doesNotContain(failing);
            world.search.heal();
            Reply retried = second.calls.finalizeOnce(failing);
            assertThat(retried.isFinalized() && !retried.isIdempotent())
                    .as(retried.text())
                    .isTrue();
            assertThat(world.objects(failing)).hasSize(3);
            assertThat(world.document(failing).get("_version").asLong()).isEqualTo(world.fence(failing));
            world.refresh();
            assertThat(first.calls.search(words)).contains(failing);
        }
    }

    @Test
    @Tag("FINALIZE-5")
    @DisplayName("A lock that is older than FINALIZE_LOCK_TTL_MINUTES, by default 5, is taken over")
    void staleLock() {
        String id = open();
        world.lockedSince(id, 4);
        assertThat(first.calls.finalizeOnce(id).isFinalizing()).isTrue();
        world.lockedSince(id, 6);
        assertThat(first.calls.finalizeOnce(id).isFinalized()).isTrue();
        try (Instance two = Instance.start(world.environment("FINALIZE_LOCK_TTL_MINUTES", "2"))) {
            String other = open();
            world.lockedSince(other, 1);
            assertThat(two.calls.finalizeOnce(other).isFinalizing()).isTrue();
            world.lockedSince(other, 3);
            assertThat(two.calls.finalizeOnce(other).isFinalized()).isTrue();
        }
    }

    @Test
    @Tag("FINALIZE-6")
    @DisplayName(
            "A title that the user has, equal after slugging, is 409 with advice, and creates no record of any kind")
    void titleTaken() throws Exception {
        String name = UUID.randomUUID().toString();
        first.calls.create("My Castle! " + name, PLAN);
        long mocs = world.count("moc_instructions");
        long files = world.count("moc_files");
        for (String title : List.of("My Castle! " + name, "my  castle " + name, "MY CÄSTLE - " + name)) {
            Reply refused = second.calls.declare(title, PLAN, RED);
            assertThat(refused.isProblem(409, "title-taken")).as(refused.text()).isTrue();
            assertThat(refused.member("detail")).contains("Choose another title");
        }
        assertThat(world.count("moc_instructions")).isEqualTo(mocs);
        assertThat(world.count("moc_files")).isEqualTo(files);

        // Another user's title is no conflict.
        insert("another", "Their Castle " + name, "their-castle-" + name);
        assertThat(first.calls.declare("Their Castle " + name, PLAN).status()).isEqualTo(201);
    }

    private void insert(String user, String title, String slug) throws SQLException {
        try (Connection connection = connect()) {
            insert(connection, user, title, slug);
        }
    }

    private Connection connect() throws SQLException {
        Map<String, String> database = world.environment();
        return DriverManager.getConnection(
                database.get("SPRING_DATASOURCE_URL"),
                database.get("SPRING_DATASOURCE_USERNAME"),
                database.get("SPRING_DATASOURCE_PASSWORD"));
    }

    private static void insert(Connection connection, String user, String title, String slug) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO moc_instructions (id, user_id, title, slug) VALUES (?, ?, ?, ?)")) {
            insert.setObject(1, UUID.randomUUID());
            insert.setString(2, user);
            insert.setString(3, title);
            insert.setString(4, slug);
            insert.executeUpdate();
        }
    }

    /** Declares a title while a rival's transaction, which commits then, has inserted a row that the pre-check cannot see. */
    private Reply declareAgainst(String title, String rivalTitle, String rivalSlug) throws Exception {
        try (Connection rival = connect()) {
            rival.setAutoCommit(false);
            insert(rival, Users.DEVELOPER, rivalTitle, rivalSlug);
            CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(() -> first.calls.declare(title, PLAN, RED));
            awaitBlockedInsert();
            rival.commit();
            return reply.join();
        }
    }

    private void awaitBlockedInsert() throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (world.sql
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND query LIKE 'INSERT INTO moc_instructions%' AND datname = current_database()")
                        .query(Long.class)
                        .single()
                == 0) {
            assertThat(System.nanoTime()).as("the insert waits for the rival").isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    @Tag("FINALIZE-6")
    @DisplayName(
            "The unique indexes of titles are the second line of defence: 23505 of these is 409, any other is an error")
    void secondLineOfDefence() throws Exception {
        String name = UUID.randomUUID().toString();
        long files = world.count("moc_files");
        assertThat(declareAgainst("Tower " + name, "tower - " + name, "tower-" + name)
                        .isProblem(409, "title-taken"))
                .as("the slug's index")
                .isTrue();
        assertThat(declareAgainst("Mill " + name, "Mill " + name, "a slug by an older rule " + name)
                        .isProblem(409, "title-taken"))
                .as("the title's index")
                .isTrue();
        assertThat(world.count("moc_files")).isEqualTo(files);

        Upload twice = Upload.text("twice.txt", "the same bytes " + name);
        first.calls.create("First " + name, twice);
        long mocs = world.count("moc_instructions");
        files = world.count("moc_files");
        world.sql
                .sql("CREATE UNIQUE INDEX another ON moc_files (sha256) WHERE name = 'twice.txt'")
                .update();
        try {
            Reply failed = first.calls.declare("Second " + name, PLAN, twice);
            assertThat(failed.isProblem(500, "failed")).as(failed.text()).isTrue();
            assertThat(world.count("moc_instructions")).isEqualTo(mocs);
            assertThat(world.count("moc_files")).isEqualTo(files);
        } finally {
            world.sql.sql("DROP INDEX another").update();
        }
    }

    @Test
    @Tag("FINALIZE-6")
    @DisplayName(
            "Of 64 concurrent creations of titles with one slug, one leaves a row and its files, and no other leaves anything")
    void concurrentTitles() {
        String name = UUID.randomUUID().toString();
        long mocs = world.count("moc_instructions");
        long files = world.count("moc_files");
        List<String> forms = List.of("My Castle! ", "my  castle ", "MY-CASTLE ", "Mý Castle… ");
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try {
            for (int i = 0; i < 64; i++) {
                Calls calls = (i % 2 == 0 ? first : second).calls;
                String title = forms.get(i % forms.size()) + name;
                replies.add(CompletableFuture.supplyAsync(() -> calls.declare(title, PLAN, RED), threads));
            }
            assertThat(replies)
                    .filteredOn(reply -> reply.join().status() == 201)
                    .hasSize(1);
            assertThat(replies)
                    .filteredOn(reply -> reply.join().isProblem(409, "title-taken"))
                    .hasSize(63);
        } finally {
            threads.shutdownNow();
        }
        assertThat(world.count("moc_instructions")).isEqualTo(mocs + 1);
        assertThat(world.count("moc_files")).isEqualTo(files + 2);
    }

    @Test
    @Tag("FINALIZE-7")
    @DisplayName(
            "The written log has INFO, INFO idempotent, WARN and ERROR, each with the five members and nothing that a user wrote")
    void log() throws Exception {
        String secret = "Neuschwanstein " + UUID.randomUUID();
        Upload file = Upload.text("grandmother.txt", secret);
        String id = first.calls.create(secret, file);
        judgeIndexing(id, Fate.HOLD);
        CompletableFuture<Reply> running = first.calls.finalizeLater(id);
        world.search.awaitHeld();
        Reply meanwhile = second.calls.finalizeOnce(id);
        world.search.letGo();
        Reply finalized = running.join();
        Reply again = second.calls.finalizeOnce(id);
        assertLine(finalized, "INFO", id, false, "finalized");
        assertLine(meanwhile, "INFO", id, true, "finalizing");
        assertLine(again, "INFO", id, true, "finalized");

        Reply conflict = Calls.send(first.calls
                .request("/api/mocs")
                .header("X-Request-Id", "my-own-id")
                .POST(BodyPublishers.ofString(Calls.declaration(secret, null, file))));
        assertThat(conflict.requestId()).isEqualTo("my-own-id");
        assertLine(conflict, "WARN", null, false, "title-taken");

        // The database's own message of this error repeats what the user wrote.
        world.sql
                .sql("CREATE UNIQUE INDEX another ON moc_files (name) WHERE name = 'grandmother.txt'")
                .update();
        Reply unexpected = first.calls.declare(secret + " II", file);
        world.sql.sql("DROP INDEX another").update();
        assertThat(unexpected.status()).isEqualTo(500);
        JsonNode error = assertLine(unexpected, "ERROR", null, false, "failed");
        assertThat(error.get("stack_trace").asString())
                .contains("DuplicateKeyException", "SQLSTATE 23505", "MocRepository");

        String broken = open();
        judgeIndexing(broken, Fate.FAIL);
        assertLine(first.calls.finalizeOnce(broken), "ERROR", broken, false, "search-down");

        assertThat(output.log())
                .filteredOn(line -> line.get("logger_name").asString().endsWith("FinalizeLog"))
                .hasSizeGreaterThan(6)
                .allSatisfy(line -> {
                    assertThat(line.get("requestId").asString()).isNotEmpty();
                    assertThat(line.get("ownerId").asString()).isEqualTo(Users.DEVELOPER);
                    assertThat(line.get("mocId").asString()).hasSize(36);
                    assertThat(line.get("idempotent").isBoolean()).isTrue();
                    assertThat(line.get("status").asString()).isNotEmpty();
                });
        assertThat(output.log().toString()).doesNotContain("Neuschwanstein", "neuschwanstein", "grandmother");
    }

    /** The one line about the request that was answered like this. */
    private JsonNode assertLine(Reply reply, String level, @Nullable String id, boolean isIdempotent, String status) {
        List<JsonNode> lines = output.log().stream()
                .filter(line -> line.path("requestId").asString("").equals(reply.requestId()))
                .toList();
        assertThat(lines).as(status).hasSize(1);
        JsonNode line = lines.get(0);
        assertThat(line.get("level").asString()).isEqualTo(level);
        assertThat(line.get("ownerId").asString()).isEqualTo(Users.DEVELOPER);
        if (id != null) {
            assertThat(line.get("mocId").asString()).isEqualTo(id);
        }
        assertThat(line.get("idempotent").asBoolean()).isEqualTo(isIdempotent);
        assertThat(line.get("status").asString()).isEqualTo(status);
        return line;
    }

    @Test
    @Tag("FINALIZE-8")
    @DisplayName("Migrations make the schema, with the columns as the document names them")
    void schema() {
        assertThat(world.sql
                        .sql("SELECT version FROM flyway_schema_history WHERE success ORDER BY installed_rank")
                        .query(String.class)
                        .list())
                .containsExactly("1", "2");
        for (String column : List.of("finalized_at", "finalizing_at")) {
            assertThat(world.sql
                            .sql("SELECT data_type || ' ' || is_nullable FROM information_schema.columns"
                                    + " WHERE table_name = 'moc_instructions' AND column_name = ?")
                            .param(column)
                            .query(String.class)
                            .single())
                    .isEqualTo("timestamp with time zone YES");
        }
        assertThat(world.sql
                        .sql("SELECT pg_get_constraintdef(oid) FROM pg_constraint"
                                + " WHERE conname = 'moc_instructions_user_title_unique'")
                        .query(String.class)
                        .single())
                .isEqualTo("UNIQUE (user_id, title)");
        assertThat(world.sql
                        .sql("SELECT indexdef FROM pg_indexes WHERE indexname = 'moc_instructions_user_slug_unique'")
                        .query(String.class)
                        .single())
                .startsWith("CREATE UNIQUE INDEX")
                .endsWith("(user_id, slug)");
    }

    @Test
    @Tag("FINALIZE-9")
    @DisplayName(
            "End to end: two finalizes have one set of side effects and one finalizedAt; a caller meanwhile sees finalizing, later the record")
    void doubleFinalize() throws Exception {
        String id = open();
        judgeIndexing(id, Fate.HOLD);
        CompletableFuture<Reply> one = first.calls.finalizeLater(id);
        world.search.awaitHeld();
        assertThat(second.calls.finalizeOnce(id).isFinalizing()).isTrue();
        assertThat(second.calls.read(id).member("status")).isEqualTo("open");
        world.search.letGo();
        String finalizedAt = one.join().member("finalizedAt");
        assertThat(Instant.parse(finalizedAt)).isBefore(Instant.now().plusSeconds(60));
        Reply two = second.calls.finalizeOnce(id);
        assertThat(two.isIdempotent()).isTrue();
        assertThat(Stream.of(two, second.calls.read(id), first.calls.finalizeOnce(id)))
                .allMatch(reply ->
                        reply.isFinalized() && reply.member("finalizedAt").equals(finalizedAt));
        assertThat(world.s3.requests("PUT", id + "/thumbnail-")).hasSize(1);
        assertThat(world.search.requests("PUT", "/_doc/" + id)).hasSize(1);
        assertThat(world.objects(id)).hasSize(3);
        assertThat(world.changes(id)).containsExactly("locked", "finalized");
    }

    @Test
    @Tag("FINALIZE-9")
    @DisplayName("End to end: an S3 failure clears the lock, and a retry succeeds")
    void s3Failure() {
        for (Fate fate : List.of(Fate.FAIL, Fate.CUT)) {
            for (String method : List.of("HEAD", "GET", "PUT")) {
                String id = open();
                world.s3.judge(request -> request.is(method, id) ? fate : Fate.PASS);
                Reply failed = first.calls.finalizeOnce(id);
                assertThat(failed.isProblem(503, "s3-down"))
                        .as(method + " " + failed.text())
                        .isTrue();
                assertThat(failed.retryAfter()).isEqualTo("5");
                assertIsOpen(id);
                assertThat(world.objects(id)).hasSize(2);
                assertThat(world.document(id).path("found").asBoolean(false)).isFalse();
                world.s3.heal();
                assertThat(second.calls.finalizeOnce(id).isFinalized()).isTrue();
                assertThat(world.objects(id)).hasSize(3);
            }
        }
    }

    @Test
    @Tag("FINALIZE-9")
    @DisplayName("End to end: a duplicate title inserts nothing")
    void duplicateTitle() {
        String title = title();
        first.calls.create(title, PLAN);
        long mocs = world.count("moc_instructions");
        assertThat(second.calls.declare(title.toUpperCase(Locale.ROOT), PLAN).isProblem(409, "title-taken"))
                .isTrue();
        assertThat(world.count("moc_instructions")).isEqualTo(mocs);
    }

    @Test
    @Tag("FINALIZE-10")
    @DisplayName(
            "A holder that was overtaken writes neither document nor row, wherever it was paused, and is answered as its successor left it")
    void overtaken() throws Exception {
        for (Fate fate : List.of(Fate.HOLD, Fate.HOLD_REPLY)) {
            String id = open();
            judgeIndexing(id, fate);
            CompletableFuture<Reply> paused = first.calls.finalizeLater(id);
            world.search.awaitHeld();
            long before = world.fence(id);
            world.search.heal();
            world.lockedSince(id, 6);
            Reply successor = second.calls.finalizeOnce(id);
            assertThat(successor.isFinalized() && !successor.isIdempotent())
                    .as(successor.text())
                    .isTrue();
            Map<String, @Nullable Object> row = world.row(id);
            assertThat(world.fence(id)).isGreaterThan(before);
            world.search.letGo();
            Reply late = paused.join();
            assertThat(late.isFinalized() && late.isIdempotent())
                    .as(fate + " " + late.text())
                    .isTrue();
            assertThat(late.member("finalizedAt")).isEqualTo(successor.member("finalizedAt"));
            assertThat(world.row(id)).isEqualTo(row);
            assertThat(world.document(id).get("_version").asLong()).isEqualTo(world.fence(id));
            assertThat(world.objects(id)).hasSize(3);
            assertThat(world.changes(id)).containsExactly("locked", "renewed", "locked", "finalized");
        }
    }

    @Test
    @Tag("FINALIZE-10")
    @DisplayName(
            "A holder that was overtaken does not clear its successor's lock, and is told that it is being finalized")
    void overtakenByOneAtWork() throws Exception {
        String id = open();
        judgeIndexing(id, Fate.HOLD_REPLY);
        CompletableFuture<Reply> paused = first.calls.finalizeLater(id);
        world.search.awaitHeld();
        world.lockedSince(id, 6);
        judgeIndexing(id, Fate.HOLD);
        CompletableFuture<Reply> successor = second.calls.finalizeLater(id);
        world.search.awaitHeld();
        long fence = world.fence(id);
        world.search.letGo(); // In order: the one that came first.
        Reply late = paused.join();
        assertThat(late.isFinalizing()).as(late.text()).isTrue();
        assertThat(world.row(id)).containsEntry("finalized_at", null).doesNotContainEntry("finalizing_at", null);
        world.search.letGo();
        assertThat(successor.join().isFinalized()).isTrue();
        assertThat(world.fence(id)).isEqualTo(fence);
    }

    @Test
    @Tag("FINALIZE-11")
    @DisplayName("The API's description states the two phases, the TTL, the idempotent answers and the 409")
    void openApi() {
        JsonNode api = first.calls.get("/openapi").json();
        JsonNode finalize = api.get("paths").get("/api/mocs/{id}/finalize").get("post");
        assertThat(finalize.get("description").asString())
                .contains("Two phases")
                .contains("finalizing_at")
                .contains("finalized_at")
                .contains("FINALIZE_LOCK_TTL_MINUTES, 5 by default");
        assertThat(finalize.get("responses").get("200").get("description").asString())
                .contains("{\"idempotent\":true,\"status\":\"finalizing\"}")
                .contains("the same record and idempotent: true");
        JsonNode create = api.get("paths").get("/api/mocs").get("post").get("responses");
        assertThat(create.get("409").get("description").asString())
                .contains("title-taken")
                .contains("No record of any kind was created");
        assertThat(create.get("409").get("content").has("application/problem+json"))
                .isTrue();
    }
}
