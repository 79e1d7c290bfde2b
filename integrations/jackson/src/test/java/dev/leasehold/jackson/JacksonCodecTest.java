package dev.leasehold.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Results as JSON")
class JacksonCodecTest {
    record Report(String title, int pages) {}

    record NewerReport(String title, String author) {}

    public static final class Loop {
        public Loop getSelf() {
            return this;
        }
    }

    private static final Report REPORT = new Report("食事 \u00e9", 3);

    @Test
    @DisplayName("O02 are replayed as they were, also lists and null")
    void comeBack() throws Exception {
        try (Leases leases = Leases.on(new MemoryLeaseStore())) {
            Once<Report> one = Once.on(leases, Key.of("one"), RunSpec.of(JacksonCodec.of(Report.class)));
            assertThat(one.run(run -> REPORT)).isInstanceOf(Outcome.Ran.class);
            assertThat(one.run(run -> null).toOptional()).contains(REPORT);

            Once<List<Report>> many =
                    Once.on(leases, Key.of("many"), RunSpec.of(JacksonCodec.of(new TypeReference<List<Report>>() {})));
            many.run(run -> List.of(REPORT, REPORT));
            assertThat(many.run(run -> List.of()).toOptional()).contains(List.of(REPORT, REPORT));

            Once<Report> none = Once.on(leases, Key.of("none"), RunSpec.of(JacksonCodec.of(Report.class)));
            none.run(run -> null);
            assertThat(none.run(run -> REPORT))
                    .isInstanceOfSatisfying(
                            Outcome.Replayed.class,
                            replayed -> assertThat(replayed.value()).isNull());
        }
    }

    @Test
    @DisplayName("O14 that Jackson cannot write are refused, with the key")
    void cannotBeWritten() {
        try (Leases leases = Leases.on(new MemoryLeaseStore())) {
            Once<Loop> loop = Once.on(leases, Key.of("loop"), RunSpec.of(JacksonCodec.of(Loop.class)));
            assertThatThrownBy(() -> loop.run(run -> new Loop()))
                    .isInstanceOf(ResultException.class)
                    .hasMessageContaining("loop");
        }
    }

    @Test
    @DisplayName("are read by later versions of their class")
    void areReadLater() {
        byte[] kept = JacksonCodec.of(Report.class).encode(REPORT);
        assertThat(new String(kept, StandardCharsets.UTF_8)).isEqualTo("{\"title\":\"食事 \u00e9\",\"pages\":3}");
        NewerReport read = JacksonCodec.of(NewerReport.class).decode(kept);
        assertThat(read.title()).isEqualTo(REPORT.title());
        assertThat(read.author()).isNull();
        assertThatThrownBy(() -> JacksonCodec.of(Report.class).decode("null".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("are written by a mapper of the user's, if there is one")
    void ownMapper() {
        JsonMapper mapper = JsonMapper.builder().build();
        assertThat(JacksonCodec.of(Report.class, mapper)
                        .decode(JacksonCodec.of(new TypeReference<Report>() {}, mapper)
                                .encode(REPORT)))
                .isEqualTo(REPORT);
    }
}
