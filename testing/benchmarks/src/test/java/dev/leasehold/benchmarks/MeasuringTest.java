package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Protocol;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("What is measured")
class MeasuringTest {
    @Test
    @DisplayName("Threads never ask for each other's keys, and together for all")
    void keysAreDealtOut() {
        KeySpace keys = new KeySpace("k", 10, 3);
        Set<String> all = new HashSet<>();
        for (int thread = 0; thread < 3; thread++) {
            List<String> mine = keys.of(thread);
            assertThat(mine).isNotEmpty().noneMatch(all::contains);
            for (int i = 0; i < 50; i++) {
                assertThat(mine).contains(keys.next(thread));
            }
            all.addAll(mine);
        }
        assertThat(all).hasSize(10);
    }

    @Test
    @DisplayName("A percentile is a time that was measured")
    void percentiles() {
        Samples one = new Samples();
        Samples other = new Samples();
        for (int i = 1; i <= 50; i++) {
            one.add(i * 1_000L);
            other.add((i + 50) * 1_000L);
        }
        Samples all = Samples.merged(List.of(other, one));
        assertThat(all.micros(0.5)).isEqualTo(50);
        assertThat(all.micros(0.99)).isEqualTo(99);
        assertThat(all.count()).isEqualTo(100);
    }

    @Test
    @DisplayName("A median is the middle, or between the two in the middle")
    void medians() {
        assertThat(Row.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
        assertThat(Row.median(List.of(9.0, 1.0, 2.0, 4.0))).isEqualTo(3);
    }

    @Test
    @DisplayName("A lock that stays where it was is timed and no part of the rate")
    void changesOfOwner() throws Exception {
        Work<Worker.Waiter> work = new Work.InTurn("any", Duration.ofMillis(1));
        Samples samples = new Samples();
        for (int thread : new int[] {0, 0, 1, 1, 1, 0}) {
            work.once(key -> () -> {}, thread, samples);
        }
        assertThat(samples.count()).isEqualTo(6);
        assertThat(new Slice(List.of(samples), 1).perSecond()).isEqualTo(3);
    }

    @Test
    @DisplayName("A gap is the time from a release to the next grant, and not that between two slices")
    void gaps() {
        Gap gap = new Gap();
        gap.begin();
        assertThat(gap.end(100)).isZero();
        gap.start(250);
        assertThat(gap.end(400)).isEqualTo(150);
        gap.start(500);
        gap.begin();
        assertThat(gap.end(9_000)).isZero();
        Samples one = new Samples();
        one.addGap(2_000_000);
        one.addGap(1_000_000);
        Samples other = new Samples();
        other.addGap(3_500_000);
        assertThat(Samples.merged(List.of(one, other)).longestGapMillis()).isEqualTo(3.5);
    }

    @Test
    @DisplayName("A slice that is limited to so many operations ends with them")
    void operationsAreLimited() throws Exception {
        Work<Worker.Waiter> work = new Work.InTurn("any", Duration.ZERO);
        Worker.Waiter worker = key -> () -> {};
        Slice slice = Slice.run(List.of(worker, worker), Duration.ofMinutes(1), 2_000, work);
        assertThat(slice.all().count()).isBetween(2_000, 2_001);
    }

    @Test
    @DisplayName("A row has all fields in JSON, whole numbers whole, and null for what does not apply")
    void json() {
        Row row = new Row(Cell.W6_REPLAY, StoreKind.SQLITE, "floor")
                .set(Column.PER_SECOND, 1.23456)
                .set(Column.VS_FLOOR, Double.NaN)
                .set(Column.OVERLAPS, 0);
        assertThat(JsonMapper.shared().writeValueAsString(row.json()))
                .isEqualTo("{\"cell\":\"W6\",\"store\":\"sqlite\",\"contestant\":\"floor\",\"variant\":\"replay\","
                        + "\"records\":null,\"leases\":null,\"opsPerSecond\":1.235,\"turnsPerSecond\":null,"
                        + "\"vsAlone\":null,\"vsFloor\":null,\"p50Micros\":null,\"p99Micros\":null,"
                        + "\"fairness\":null,\"longestGapMillis\":null,\"timeouts\":null,\"statementsPerOp\":null,"
                        + "\"statementsPerSecond\":null,\"clientCpuMillisPerSecond\":null,"
                        + "\"storeCpuMillisPerSecond\":null,\"lost\":null,\"overlaps\":0,\"refusals\":null}");
    }

    @Test
    @DisplayName("Fairness is most turns by fewest, and a starved node does not hide")
    void fairness() {
        assertThat(Fairness.of(new long[] {10, 20, 15})).isEqualTo(2);
        assertThat(Fairness.of(new long[] {40, 0})).isEqualTo(40);
    }

    @Test
    @DisplayName("Executions, commits and roll-backs are counted, preparing and reading are not")
    void statementsAreCounted() throws Exception {
        try (Bed bed = StoreKind.SQLITE.open()) {
            CountedWay way = bed.counted();
            try (Connection connection = way.bed().source().getConnection()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("CREATE TABLE t (i INTEGER)");
                }
                connection.setAutoCommit(false);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?)")) {
                    insert.setInt(1, 7);
                    insert.executeUpdate();
                    insert.executeUpdate();
                }
                connection.commit();
                connection.rollback();
            }
            assertThat(way.count()).isEqualTo(5);
        }
    }

    @Test
    @DisplayName("Commands to Redis are counted, wherever what is sent was cut, and whatever is in them")
    void commandsAreCounted() {
        byte[] sent = "*2\r\n$3\r\nGET\r\n$4\r\n*1\r\n\r\n*1\r\n$0\r\n\r\n*1\r\n$12\r\n0123456789\r\n\r\n"
                .getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= sent.length; cut++) {
            LongAdder commands = new LongAdder();
            CommandCount counting = new CommandCount(commands);
            counting.read(sent, cut);
            counting.read(Arrays.copyOfRange(sent, cut, sent.length), sent.length - cut);
            assertThat(commands.sum()).as("cut at %d", cut).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("Commands to Redis are counted on their way, and answered")
    void commandsAreCountedOnTheirWay() throws Exception {
        try (Bed bed = StoreKind.REDIS.open();
                CountedWay way = bed.counted();
                RedisCalls direct = new RedisCalls(RedisBed.of(bed));
                RedisCalls counted = new RedisCalls(RedisBed.of(way.bed()))) {
            direct.run(Protocol.Command.SET, "k", "v");
            long before = way.count();
            for (int i = 0; i < 5; i++) {
                Object answer = Objects.requireNonNull(counted.run(Protocol.Command.GET, "k"));
                assertThat(RedisCalls.text(answer)).isEqualTo("v");
            }
            assertThat(way.count() - before).isEqualTo(5);
        }
    }

    @Test
    @DisplayName("The plot has a bar for each rate that has a floor")
    void plot() {
        Row row = new Row(Cell.W1, StoreKind.SQLITE, "leasehold")
                .set(Column.PER_SECOND, 100.0)
                .set(Column.VS_FLOOR, 1.25);
        Row keeping = new Row(Cell.W5, StoreKind.SQLITE, "floor").set(Column.VS_FLOOR, 1.0);

        String svg = Plot.of(List.of(row, keeping));

        assertThat(svg)
                .startsWith("<svg ")
                .contains("W1 sqlite", ">leasehold<", ">1.25<")
                .doesNotContain("W5");
    }
}
