package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Failure;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.once.Work;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that other programs change meanwhile, columns of every type, and values that a column does not take. */
@DisplayName("A run on a row")
class RowRunTroubleTest {
    private static final Duration TTL = Duration.ofSeconds(20);
    private static final RunSpec<Fields> SPEC = RunSpec.of(RecordCodec.fields()).withLeaseTtl(TTL);
    private static final RowMapping BARE = RowMapping.of("jobs")
            .key("id")
            .owner("lock_owner")
            .expiry("lock_expiry")
            .fence("lock_fence")
            .doneWhen("status", "READY")
            .failedWhen("status", "FAILED")
            .reason("error");
    private static final RowMapping MAPPING = BARE.attempts("attempts").writes("text", "words");

    private static final Map<Kind, TestDatabase> DATABASES = new EnumMap<>(Kind.class);

    @TempDir
    private static Path directory;

    private Kind kind = Kind.H2;
    private UserTable table;

    @AfterEach
    void close() {
        table.close();
    }

    @AfterAll
    static void stop() {
        DATABASES.values().forEach(TestDatabase::close);
        DATABASES.clear();
    }

    private TestDatabase database() {
        return DATABASES.computeIfAbsent(kind, one -> one.fresh(directory));
    }

    /** A table with these columns besides the usual ones, and the row 1. */
    private void create(Kind on, String more) {
        kind = on;
        String time = switch (kind) {
            case POSTGRESQL -> "timestamptz";
            case MARIADB -> "timestamp(6) NULL DEFAULT NULL";
            case H2 -> "timestamp(6) with time zone";
            case SQLITE -> "text";
        };
        table = new UserTable(database().source(), "jobs");
        table.execute(
                "DROP TABLE IF EXISTS jobs",
                "CREATE TABLE jobs (id varchar(64) PRIMARY KEY, status varchar(20), text varchar(20),"
                        + " error varchar(200), words bigint CHECK (words < 100), attempts int,"
                        + " lock_owner varchar(100), lock_expiry " + time + ", lock_fence bigint,"
                        + " lock_nonce varchar(32)" + more + ")",
                "INSERT INTO jobs (id, status, text) VALUES ('1', 'PENDING', 'two words')");
    }

    private RowLeaseStore open(RowMapping mapping) {
        return JdbcLeaseStore.builder(database().source()).onRows(mapping);
    }

    private Outcome<Fields> run(RowMapping mapping, RunSpec<Fields> spec, Work<Fields> work) throws Exception {
        try (RowLeaseStore store = open(mapping);
                Leases leases = Leases.builder(store).withoutLog().build()) {
            return Once.on(leases, Key.of("1"), spec).run(work);
        }
    }

    private Map<String, String> row() {
        return table.row("id", "1");
    }

    private void assertCleared() {
        assertThat(row()).containsEntry("status", "PENDING").doesNotContainKeys("lock_expiry", "lock_owner");
    }

    private void expire() {
        table.elapse(MAPPING, Duration.ofHours(1));
    }

    @ParameterizedTest
    @CsvSource({"job_status, public", "JobStatus, public", "JobStatus, Other"})
    @DisplayName("writes columns of an enum of PostgreSQL, whatever its name and schema")
    void enums(String name, String schema) throws Exception {
        create(Kind.POSTGRESQL, "");
        String type = "\"" + schema + "\".\"" + name + "\"";
        table.execute(
                "CREATE SCHEMA IF NOT EXISTS \"Other\"",
                "DROP TYPE IF EXISTS " + type + " CASCADE",
                "CREATE TYPE " + type + " AS ENUM ('PENDING', 'READY', 'FAILED')",
                "ALTER TABLE jobs DROP COLUMN status, ADD COLUMN status " + type
                        + " DEFAULT 'PENDING', ADD COLUMN kind " + type);
        RowMapping mapping = MAPPING.writes("text", "kind");

        assertThat(run(mapping, SPEC, run -> Fields.of("kind", "FAILED").and("text", "done")))
                .isInstanceOf(Outcome.Ran.class);
        assertThat(row()).containsEntry("status", "READY").containsEntry("kind", "FAILED");

        table.execute("UPDATE jobs SET status = 'PENDING'");
        Outcome<Fields> refused = run(mapping, SPEC, run -> {
            throw new TerminalException(Failure.of("no", "No."));
        });
        assertThat(refused).isInstanceOf(Outcome.Refused.class);
        assertThat(row()).containsEntry("status", "FAILED").containsEntry("error", "No.");
    }

    @Test
    @DisplayName("writes columns of an array, JSON, a date and a number with a fraction of PostgreSQL")
    void typesOfPostgres() throws Exception {
        create(Kind.POSTGRESQL, ", tags text[], j jsonb, d date, n numeric(9, 2), serial bigserial");
        RowMapping mapping = MAPPING.writes("tags", "j", "d", "n", "serial");
        Fields written = Fields.of("tags", "{a,b}")
                .and("j", "{\"a\": 1}")
                .and("d", "2026-01-02")
                .and("n", 5)
                .and("serial", 7);

        assertThat(run(mapping, SPEC, run -> written)).isInstanceOf(Outcome.Ran.class);
        assertThat(row())
                .containsEntry("tags", "{a,b}")
                .containsEntry("j", "{\"a\": 1}")
                .containsEntry("d", "2026-01-02")
                .containsEntry("n", "5.00")
                .containsEntry("serial", "7");
    }

    @Test
    @DisplayName("writes JSON of H2 as JSON, and reads what it wrote")
    void jsonOfH2() throws Exception {
        create(Kind.H2, ", j json");
        RowMapping mapping = MAPPING.writes("j");

        Outcome<Fields> outcome = run(mapping, SPEC, run -> Fields.of("j", "{\"a\":1}"));
        assertThat(outcome.toOptional().orElseThrow().text("j")).isEqualTo("{\"a\":1}");
        assertThat(row()).containsEntry("j", "{\"a\":1}");

        table.execute("UPDATE jobs SET status = 'PENDING'");
        run(mapping, SPEC, run -> Fields.of("j", null));
        assertThat(row()).doesNotContainKey("j");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("is on hold if its last runner went silent, also where attempts are not counted")
    void holdWithoutAttempts(Kind on) throws Exception {
        create(on, "");
        try (RowLeaseStore silent = open(BARE)) {
            take(silent, "1", "silent", TTL);
        }
        expire();
        AtomicInteger worked = new AtomicInteger();

        Outcome<Fields> outcome = run(BARE, SPEC.withOnStale(OnStale.HOLD), run -> {
            worked.incrementAndGet();
            return Fields.NONE;
        });
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.cause())
                                .as("ended by this call, not replayed")
                                .isInstanceOf(TerminalException.class));
        assertThat(worked).hasValue(0);
        assertThat(row()).containsEntry("status", "FAILED");
        assertThat(row().get("error")).contains("silent").contains("its lease expired");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("ends at once if the database refuses its result, and says which record and columns")
    void refusedResult(Kind on) throws Exception {
        create(on, "");
        assertThatExceptionOfType(ResultException.class)
                .isThrownBy(() -> run(MAPPING, SPEC, run -> Fields.of("words", 500)))
                .withMessageContaining("jobs/1")
                .withMessageContaining("words");
        assertCleared();

        Outcome<Fields> kept = run(
                MAPPING, SPEC.withFailurePolicy((error, attempt) -> Verdict.TERMINAL), run -> Fields.of("words", 500));
        assertThat(kept).isInstanceOf(Outcome.Refused.class);
        assertThat(row()).containsEntry("status", "FAILED").doesNotContainKey("lock_expiry");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("does not take another row with the same value for a collision")
    void sameValue(Kind on) {
        create(on, "");
        table.execute(
                "INSERT INTO jobs (id, status, text) VALUES ('2', 'PENDING', 'taken')",
                "CREATE UNIQUE INDEX jobs_text ON jobs (text)");
        assertThatExceptionOfType(ResultException.class)
                .isThrownBy(() -> run(MAPPING, SPEC, run -> Fields.of("text", "taken")))
                .withMessageContaining("text");
        assertCleared();
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = "SQLITE", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("ends at once if a value is too long, or is nothing where something is needed")
    void unfitValues(Kind on) {
        create(on, ", needed varchar(9) DEFAULT 'x' NOT NULL");
        for (Fields unfit : List.of(Fields.of("text", "x".repeat(50)), Fields.of("needed", null))) {
            assertThatExceptionOfType(ResultException.class)
                    .as(unfit.toString())
                    .isThrownBy(() -> run(MAPPING.writes("text", "needed"), SPEC, run -> unfit));
            assertCleared();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("keeps a failure whose reason has characters that the column does not take")
    void reasonThatDoesNotFit(Kind on) throws Exception {
        create(on, on == Kind.MARIADB ? ", latin varchar(200) CHARACTER SET latin1, tiny tinytext" : "");
        List<String> columns = on == Kind.MARIADB ? List.of("error", "latin", "tiny") : List.of("error");
        for (String column : columns) {
            for (String reason :
                    List.of("zero \u0000 byte", "half \ud83d pair", "\u65e5\u672c text", "\u00e4".repeat(255))) {
                table.execute("UPDATE jobs SET status = 'PENDING'");
                Outcome<Fields> outcome = run(MAPPING.reason(column), SPEC, run -> {
                    throw new TerminalException(Failure.of("bad", reason));
                });
                assertThat(outcome).as(column + " " + reason).isInstanceOf(Outcome.Refused.class);
                assertThat(row()).containsEntry("status", "FAILED").doesNotContainKey("lock_expiry");
                assertThat(row().get(column)).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, numeric, 'NaN'", "MARIADB, bigint unsigned, 18446744073709551615"})
    @DisplayName("goes on whatever number an unrelated column has, and is given it")
    void unusualNumbers(Kind on, String type, String number) throws Exception {
        create(on, ", price " + type);
        try (RowLeaseStore store = open(MAPPING)) {
            LeaseRef lease = take(store, "1", "me", TTL);
            table.execute("UPDATE jobs SET price = '" + number + "'");
            assertThat(store.renew(List.of(lease))).hasSize(1);
            assertThat(store.acquire(ask("1", "you", TTL))).isInstanceOf(AcquireResult.Held.class);
            store.release(ReleaseRequest.of(lease));
        }
        Outcome<Fields> outcome = run(MAPPING, SPEC, run -> {
            assertThat(String.valueOf(run.record().value("price"))).isEqualTo(number);
            return Fields.of("text", "done");
        });
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(run(MAPPING, SPEC, run -> null)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("that is asked for again has the same record, attempt and predecessor")
    void askedAgain(Kind on) {
        create(on, "");
        table.execute("UPDATE jobs SET attempts = 4");
        for (RowMapping mapping : List.of(MAPPING, MAPPING.nonce("lock_nonce"))) {
            try (RowLeaseStore store = open(mapping)) {
                take(store, "1", "silent", TTL);
                expire();
                AcquireRequest request = ask("1", "me", TTL);
                AcquireResult.Granted first = (AcquireResult.Granted) store.acquire(request);
                AcquireResult.Granted again = (AcquireResult.Granted) store.acquire(request);

                assertThat(first.predecessor()).isNotNull();
                assertThat(first.fields()).isNotNull();
                assertThat(again.fence()).isEqualTo(first.fence());
                assertThat(again.attempt()).isEqualTo(first.attempt()).isGreaterThan(5);
                assertThat(again.fields()).isEqualTo(first.fields());
                assertThat(again.predecessor()).isEqualTo(first.predecessor());
            }
            expire();
        }
    }

    @Test
    @DisplayName("cannot write a done time without a zone beside a lock that has one: that is refused on MariaDB")
    void zoneOfDone() {
        create(Kind.MARIADB, ", finished datetime(6) NULL");
        RowMapping mapping =
                RowMapping.of("jobs").key("id").expiry("lock_expiry").doneWhenNotNull("finished");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> open(mapping).close())
                .withMessageContaining("finished")
                .withMessageContaining("done");
        open(mapping.timesInUtc()).close();
    }

    @ParameterizedTest
    @CsvSource({
        "H2, boolean, true, TRUE",
        "POSTGRESQL, boolean, t, true",
        "POSTGRESQL, 'numeric(5,2)', 100, 100.00",
        "POSTGRESQL, varchar(3), READY, REA",
        "MARIADB, 'decimal(5,2)', 100, 100.00",
        "SQLITE, real, 1, 1.0"
    })
    @DisplayName("is not begun where a mark would be kept in other words, and so not be found: the store is not opened")
    void markInOtherWords(Kind on, String type, String mark, String kept) throws Exception {
        create(on, ", finished " + type);
        for (RowMapping wrong : List.of(BARE.doneWhen("finished", mark), BARE.failedWhen("finished", mark))) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> open(wrong).close())
                    .withMessageContaining("finished")
                    .withMessageContaining("\"" + mark + "\"")
                    .withMessageContaining("\"" + kept + "\"");
        }
        if (!type.startsWith("varchar")) {
            RowMapping right = MAPPING.doneWhen("finished", kept);
            assertThat(run(right, SPEC, run -> Fields.of("words", 1))).isInstanceOf(Outcome.Ran.class);
            assertThat(run(right, SPEC, run -> Fields.of("words", 2))).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("whose mark a trigger changes is an error, because the row will never count as done")
    void markThatIsChanged(Kind on) {
        create(on, "");
        table.execute(
                on == Kind.POSTGRESQL
                        ? new String[] {
                            "CREATE OR REPLACE FUNCTION lower_status() RETURNS trigger LANGUAGE plpgsql AS"
                                    + " 'BEGIN NEW.status = lower(NEW.status); RETURN NEW; END'",
                            "CREATE TRIGGER lower_status BEFORE UPDATE ON jobs FOR EACH ROW"
                                    + " EXECUTE FUNCTION lower_status()"
                        }
                        : new String[] {
                            "CREATE TRIGGER lower_status BEFORE UPDATE ON jobs FOR EACH ROW"
                                    + " SET NEW.status = concat('was ', NEW.status)"
                        });
        assertThatExceptionOfType(ResultException.class)
                .isThrownBy(() -> run(MAPPING, SPEC, run -> Fields.of("words", 1)))
                .withMessageContaining("jobs/1")
                .withMessageContaining("READY");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("tells nobody what else is in a row whose result is refused")
    void rowIsNotTold(Kind on) throws Exception {
        create(on, ", iban varchar(40) DEFAULT 'SECRET', other varchar(10)");
        table.execute(
                "CREATE UNIQUE INDEX jobs_text ON jobs (text, iban)",
                "INSERT INTO jobs (id, text) VALUES ('2', 'taken')");
        for (Fields refused : List.of(Fields.of("words", 500), Fields.of("text", "taken"))) {
            table.execute("UPDATE jobs SET status = 'PENDING' WHERE id = '1'");
            Outcome<Fields> outcome = run(
                    MAPPING.reads("words"),
                    SPEC.withFailurePolicy((error, attempt) -> Verdict.TERMINAL),
                    run -> refused);
            String told = HttpProfile.CLIENT.answer(outcome).json().orElseThrow();
            assertThat(told).doesNotContain("SECRET");
            assertThat(row().get("error"))
                    .contains("refused the result of jobs/1")
                    .doesNotContain("SECRET", "Detail", "UPDATE");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("goes on when a column is dropped that it does not need, before it begins and while its work is done")
    void unrelatedColumnIsDropped(Kind on) throws Exception {
        create(on, ", note varchar(20), other varchar(20)");
        for (RowMapping mapping : List.of(MAPPING, MAPPING.nonce("lock_nonce"))) {
            table.execute("UPDATE jobs SET status = 'PENDING'");
            try (RowLeaseStore store = open(mapping);
                    Leases leases = Leases.builder(store).withoutLog().build()) {
                table.execute("ALTER TABLE jobs DROP COLUMN note");
                Outcome<Fields> outcome = Once.on(leases, Key.of("1"), SPEC).run(run -> {
                    assertThat(run.record().names()).contains("other").doesNotContain("note");
                    assertThat(run.attempt()).isEqualTo(1);
                    table.execute("ALTER TABLE jobs DROP COLUMN other");
                    return Fields.of("words", 1);
                });
                assertThat(outcome).as("the row is " + row()).isInstanceOf(Outcome.Ran.class);
                assertThat(outcome.toOptional().orElseThrow().names()).doesNotContain("note", "other");
                assertThat(row()).containsEntry("words", "1");
                table.execute("ALTER TABLE jobs ADD COLUMN note varchar(20)", "UPDATE jobs SET attempts = 0");
                table.execute("ALTER TABLE jobs ADD COLUMN other varchar(20)");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("on a row without a column that it needs is refused, and the row is not left locked")
    void neededColumnIsDropped(Kind on) {
        create(on, ", note varchar(20)");
        try (RowLeaseStore store = open(MAPPING.reads("note"))) {
            table.execute("ALTER TABLE jobs DROP COLUMN note");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.acquire(ask("1", "me", TTL)))
                    .withMessageContaining("note");
            assertThat(row()).doesNotContainKeys("lock_expiry", "lock_owner");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("counts attempts since its row was last finished, or released by a plain lease")
    void attemptsSinceTheLastEnd(Kind on) throws Exception {
        create(on, "");
        RunSpec<Fields> twice = SPEC.withMaxAttempts(2);
        for (int i = 0; i < 3; i++) {
            assertThat(run(MAPPING, twice, run -> Fields.of("words", 1))).isInstanceOf(Outcome.Ran.class);
            table.execute("UPDATE jobs SET status = 'PENDING'"); // The owner wants it done anew.
        }
        try (RowLeaseStore store = open(MAPPING)) {
            store.release(ReleaseRequest.of(take(store, "1", "a person who looks", TTL)));
            store.release(ReleaseRequest.of(take(store, "1", "a person who looks", TTL)));
        }
        for (int i = 1; i <= 2; i++) {
            int attempt = i;
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> run(MAPPING, twice, run -> {
                        assertThat(run.attempt()).isEqualTo(attempt);
                        throw new IOException("again");
                    }));
        }
        assertThat(row()).containsEntry("status", "FAILED");
        table.execute("UPDATE jobs SET status = 'PENDING'");
        assertThat(run(MAPPING, twice, run -> Fields.NONE)).isInstanceOf(Outcome.Ran.class);
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = "SQLITE", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("ends at once if a value is of a kind that its column does not keep")
    void valueOfAWrongKind(Kind on) {
        String zoned = on == Kind.MARIADB
                ? "timestamp(6) NULL"
                : on == Kind.H2 ? "timestamp(6) with time zone" : "timestamptz";
        create(on, ", at " + (on == Kind.MARIADB ? "datetime(6) NULL" : "timestamp(6)") + ", z " + zoned);
        for (Fields wrong : List.of(
                Fields.of("at", Instant.EPOCH),
                Fields.of("z", "2026-01-01"),
                Fields.of("z", Instant.MAX),
                Fields.of("text", List.of("a")))) {
            assertThatExceptionOfType(ResultException.class)
                    .as(wrong.toString())
                    .isThrownBy(() -> run(MAPPING.writes("text", "at", "z"), SPEC, run -> wrong))
                    .withMessageContaining(String.join("", wrong.names()));
            assertCleared();
        }
    }

    @Test
    @DisplayName("ends at once if its result is larger than a packet of MariaDB may be")
    void resultAbovePacket() {
        create(Kind.MARIADB, ", big longtext");
        assertThatExceptionOfType(ResultException.class)
                .isThrownBy(() -> run(MAPPING.writes("big"), SPEC, run -> Fields.of("big", "x".repeat(17_000_000))))
                .withMessageContaining("big");
        assertCleared();
    }

    @Test
    @DisplayName("is refused with a largest result, which its columns cannot have")
    void largestResult() {
        create(Kind.H2, "");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> run(MAPPING, SPEC.withLargestResult(10), run -> Fields.NONE))
                .withMessageContaining("withLargestResult");
    }

    @Test
    @DisplayName("is refused with a lease TTL that is longer than its rows are locked for, before any work")
    void longTtl() throws Exception {
        create(Kind.H2, ", locked_at timestamp(6) with time zone");
        RowMapping fixed = RowMapping.of("jobs")
                .key("id")
                .keyPrefix("jobs/")
                .since("locked_at", Duration.ofSeconds(10))
                .doneWhen("status", "READY")
                .failedWhen("status", "FAILED");
        try (RowLeaseStore store = open(fixed);
                Leases leases = Leases.on(store)) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> Once.on(leases, fixed.keyOf("1"), RunSpec.of(RecordCodec.fields())))
                    .withMessageStartingWith("The record jobs/1 is locked for 10 s at a time")
                    .withMessageEndingWith("Use withLeaseTtl(...) of at most 10 s, or a longer TTL in since(...).");
            RunSpec<Fields> fitting = RunSpec.of(RecordCodec.fields()).withLeaseTtl(Duration.ofSeconds(10));
            assertThat(Once.on(leases, fixed.keyOf("1"), fitting).run(run -> null))
                    .isInstanceOf(Outcome.Ran.class);
        }
    }

    @Test
    @DisplayName("is named by its table and id, whatever its keys begin with")
    void names() {
        create(Kind.H2, "");
        RowMapping prefixed = MAPPING.keyPrefix("analyses/");
        try (RowLeaseStore store = open(prefixed)) {
            assertThat(store.recordTraits().orElseThrow().nameOf(prefixed.keyOf("7")))
                    .isEqualTo("jobs/7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"45000", "HY000", "02000"})
    @DisplayName("ends at once if a trigger of MariaDB refuses its result, whatever state that gives")
    void triggerOfMariaDb(String state) {
        create(Kind.MARIADB, "");
        table.execute("CREATE TRIGGER jobs_check BEFORE UPDATE ON jobs FOR EACH ROW BEGIN IF NEW.words > 10 THEN"
                + " SIGNAL SQLSTATE '" + state + "' SET MESSAGE_TEXT = 'too many words'; END IF; END");
        assertThatExceptionOfType(ResultException.class)
                .isThrownBy(() -> run(MAPPING, SPEC, run -> Fields.of("words", 50)))
                .withMessageContaining("too many words");
        assertCleared();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("leaves the heartbeat of its row, which may be needed there")
    void heartbeatThatIsNeeded(Kind on) throws Exception {
        create(
                on,
                ", seen "
                        + switch (on) {
                            case POSTGRESQL -> "timestamptz DEFAULT now()";
                            case MARIADB -> "timestamp(6) DEFAULT '2026-01-01 00:00:00'";
                            case H2 -> "timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP";
                            case SQLITE -> "text DEFAULT '2026-01-01 00:00:00'";
                        }
                        + " NOT NULL");
        AtomicReference<String> during = new AtomicReference<>();
        assertThat(run(MAPPING.heartbeat("seen"), SPEC, run -> {
                    during.set(row().get("seen"));
                    return Fields.of("words", 1);
                }))
                .isInstanceOf(Outcome.Ran.class);
        assertThat(row()).containsEntry("seen", during.get());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("writes nothing over a status that a person set together with the end of its lock")
    void stoppedByHand(Kind on) throws Exception {
        create(on, "");
        Outcome<Fields> outcome = run(MAPPING, SPEC, run -> {
            table.execute("UPDATE jobs SET status = 'CANCELLED', lock_owner = NULL, lock_expiry = NULL");
            return Fields.of("words", 1);
        });
        assertThat(outcome).isInstanceOf(Outcome.Unrecorded.class);
        assertThat(row()).containsEntry("status", "CANCELLED").doesNotContainKey("words");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("does not take the result of a program that knows no fences for its own")
    void otherProgramsResult(Kind on) throws Exception {
        create(on, "");
        for (RowMapping mapping : List.of(MAPPING, MAPPING.nonce("lock_nonce"))) {
            table.execute("UPDATE jobs SET status = 'PENDING'");
            Outcome<Fields> outcome = run(mapping, SPEC, run -> {
                table.execute("UPDATE jobs SET status = 'READY', words = 7, lock_owner = NULL, lock_expiry = NULL");
                return Fields.of("words", 1);
            });
            assertThat(row()).containsEntry("words", "7");
            assertThat(outcome).isInstanceOf(Outcome.Unrecorded.class);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = "SQLITE", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("that is settled again is found in its row, also where a value is given back in other words")
    void settledAgain(Kind on) {
        String zoned = on == Kind.MARIADB
                ? "timestamp(3) NULL"
                : on == Kind.H2 ? "timestamp(3) with time zone" : "timestamptz(3)";
        create(
                on,
                ", j " + (on == Kind.POSTGRESQL ? "jsonb" : "json") + ", n numeric(9, 2), r real, z " + zoned
                        + ", c char(9)");
        Fields written = Fields.of("j", "{\"b\":1,   \"a\":2}")
                .and("n", 5)
                .and("r", 0.1)
                .and("z", Instant.parse("2026-01-01T00:00:00.123456Z"))
                .and("c", "abc")
                .and("words", null);
        try (RowLeaseStore store = open(MAPPING.writes("j", "n", "r", "z", "c", "words"))) {
            SettleRequest request = SettleRequest.of(take(store, "1", "me", TTL), Settlement.done(written));
            assertThat(store.settle(request).isSettled()).isTrue();
            assertThat(store.settle(request).isSettled()).isTrue();
        }
    }

    @Test
    @DisplayName("ends at once if a time is none that a timestamp of MariaDB can have, which would become NULL")
    void timeBeyondMariaDb() throws Exception {
        create(Kind.MARIADB, ", z timestamp(6) NULL DEFAULT NULL");
        for (String beyond : List.of("1960-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2500-01-01T00:00:00Z")) {
            assertThatExceptionOfType(ResultException.class)
                    .isThrownBy(() -> run(MAPPING.writes("z"), SPEC, run -> Fields.of("z", Instant.parse(beyond))))
                    .withMessageContaining("z");
            assertCleared();
        }
        Instant early = Instant.parse("1970-01-01T00:00:01Z");
        assertThat(run(MAPPING.writes("z"), SPEC, run -> Fields.of("z", early))
                        .toOptional()
                        .orElseThrow()
                        .instant("z"))
                .isEqualTo(early);
    }

    @Test
    @DisplayName("is given the values of SQLite as they are, whatever type their column has")
    void valuesOfSqlite() throws Exception {
        create(Kind.SQLITE, ", n integer, f integer, b boolean, t boolean, r real, d decimal(9, 2)");
        table.execute("UPDATE jobs SET n = 'abc', f = 1.5, b = 'true', t = 1, r = 'q', d = 'x'");
        run(MAPPING, SPEC, run -> {
            Fields row = run.record();
            assertThat(row.value("n")).isEqualTo("abc");
            assertThat(row.value("f")).isEqualTo(1.5);
            assertThat(row.value("b")).isEqualTo("true");
            assertThat(row.value("t")).isEqualTo(true);
            assertThat(row.value("r")).isEqualTo("q");
            assertThat(row.value("d")).isEqualTo("x");
            return Fields.NONE;
        });
    }

    @Test
    @DisplayName("is given bits and far times of PostgreSQL as they are")
    void valuesOfPostgres() throws Exception {
        create(
                Kind.POSTGRESQL,
                ", far timestamptz DEFAULT '294276-12-31 00:00:00+00', past timestamptz DEFAULT '-infinity',"
                        + " ever timestamptz DEFAULT 'infinity', old timestamptz DEFAULT '1960-01-01 00:00:00.000001+00',"
                        + " bits bit(8) DEFAULT B'00000101'");
        Outcome<Fields> outcome = run(MAPPING.writes("bits"), SPEC, run -> {
            Fields row = run.record();
            assertThat(row.instant("far")).isEqualTo(Instant.parse("+294276-12-31T00:00:00Z"));
            assertThat(row.instant("old")).isEqualTo(Instant.parse("1960-01-01T00:00:00.000001Z"));
            assertThat(row.value("past")).isEqualTo("-infinity");
            assertThat(row.value("ever")).isEqualTo("infinity");
            assertThat(row.value("bits")).isEqualTo("00000101");
            return Fields.of("bits", "00001111");
        });
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(row()).containsEntry("bits", "00001111");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("cannot be forgotten: its row is its owner's, who says so in its status")
    void forget(Kind on) throws Exception {
        create(on, "");
        try (RowLeaseStore store = open(MAPPING);
                Leases leases = Leases.builder(store).withoutLog().build()) {
            Once<Fields> once = Once.on(leases, Key.of("1"), SPEC);
            Outcome.Ran<Fields> ran = (Outcome.Ran<Fields>) once.run(run -> Fields.NONE);
            assertThatExceptionOfType(StoreUnsupportedException.class)
                    .isThrownBy(() -> once.forget(ran.fence()))
                    .withMessageContaining("status");
            assertThat(row()).containsEntry("status", "READY");
            table.execute("UPDATE jobs SET status = 'PENDING'");
            assertThat(once.forget(ran.fence()))
                    .as("there is nothing to forget")
                    .isFalse();
        }
    }
}
