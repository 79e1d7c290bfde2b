package dev.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Outcome;
import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The first lines that a user writes: each form here must compile as it stands. */
@DisplayName("Leasehold")
class LeaseholdTest {
    private static final LeaseOptions NO_WAIT = LeaseOptions.noWait();

    private final MemoryLeaseStore store = new MemoryLeaseStore();
    private final Leasehold leasehold = Leasehold.on(store);
    private final Leasehold other = Leasehold.on(store);
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void close() {
        leasehold.close();
        other.close();
    }

    @Test
    @DisplayName("runs work if the key is free, and says whether it did")
    void skipsIfBusy() {
        assertThat(leasehold.runIfFree("nightly", lease -> done.add(lease.key().value())))
                .isTrue();
        Lease held = other.leases().tryAcquire("nightly").orElseThrow();
        assertThat(leasehold.runIfFree("nightly", lease -> done.add("beside the holder")))
                .isFalse();
        held.release();
        assertThat(leasehold.runIfFree(Key.of("nightly"), lease -> done.add("again")))
                .isTrue();
        assertThat(done).containsExactly("nightly", "again");
    }

    @Test
    @DisplayName("waits for a key, and says whether its turn came")
    void waits() throws InterruptedException {
        Lease held = other.leases().tryAcquire("nightly").orElseThrow();
        assertThat(leasehold.runWhenFree("nightly", Duration.ofMillis(50), lease -> done.add("beside the holder")))
                .isFalse();
        var unused = held.releaseAsync();
        assertThat(leasehold.runWhenFree("nightly", Duration.ofMinutes(1), lease -> done.add("after")))
                .isTrue();
        assertThat(done).containsExactly("after");
    }

    @Test
    @DisplayName("runs once, and gives later callers the same answer")
    void once() throws Exception {
        assertThat(leasehold.runOnce("report", run -> "first")).isInstanceOf(Outcome.Ran.class);
        Outcome<String> second = other.runOnce("report", run -> "second");
        assertThat(second).isInstanceOf(Outcome.Replayed.class);
        assertThat(second.toOptional()).contains("first");
    }

    @Test
    @DisplayName("gives the key back and passes a checked exception on")
    void checkedExceptions() {
        assertThatThrownBy(() -> leasehold.runIfFree("nightly", lease -> {
                    throw new IOException("no paper");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> leasehold.runWhenFree("nightly", Duration.ZERO, lease -> {
                    throw new IOException("no paper");
                }))
                .isInstanceOf(IOException.class);
        assertThat(other.leases().tryAcquire("nightly").toOptional()).isPresent();
    }

    @Test
    @DisplayName("has a with(...) whose result can be printed, whatever it is, and that throws what its work throws")
    void printedResults() throws InterruptedException, IOException {
        Leases leases = leasehold.leases();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        out.println(leases.with("a", NO_WAIT, () -> "text"));
        out.println(leases.with(Key.of("a"), NO_WAIT, () -> 42));
        out.println(leases.with("a", NO_WAIT, (Lease lease) -> lease.key().value()));
        out.println(leases.with("a", NO_WAIT, () -> {
            if (done.size() > 1) {
                throw new IOException("no paper");
            }
            return List.of("list");
        }));
        out.println(leasehold.runIfFree("a", lease -> done.add("nothing")));
        String text = leases.with("a", NO_WAIT, lease -> "value");
        assertThat(text).isEqualTo("value");
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines()).containsExactly("text", "42", "a", "[list]", "true");
    }

    @Test
    @DisplayName("takes a plain string as the key with exactly this text, slashes included")
    void plainStrings() throws InterruptedException {
        Lease lease = leasehold.leases().acquire("report/2026", NO_WAIT).orElseThrow();
        assertThat(lease.key()).isEqualTo(Key.of("report", "2026"));
        assertThat(other.leases().acquireAsync("report/2026", NO_WAIT).join().toOptional())
                .isEmpty();
        assertThat(leasehold.leases().tryAcquire("report%2F2026", NO_WAIT).toOptional())
                .isPresent();
        assertThatThrownBy(() -> leasehold.leases().tryAcquire("")).isInstanceOf(IllegalArgumentException.class);
        assertThat(leasehold.cooldown("button", Duration.ofMinutes(1)).peek()).isEmpty();
    }

    @Test
    @DisplayName("does not close a store that was handed in")
    void foreignStore() {
        leasehold.close();
        assertThatThrownBy(() -> leasehold.runIfFree("a", lease -> done.add("closed")))
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("closed");
        assertThat(other.runIfFree("a", lease -> done.add("open"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "sqlite:leases.db, dev.leasehold:leasehold-jdbc, org.xerial:sqlite-jdbc",
        "jdbc:postgresql://db/app?password=s3cret, dev.leasehold:leasehold-jdbc, org.postgresql:postgresql",
        "jdbc:mysql://db/app?password=s3cret, dev.leasehold:leasehold-jdbc, com.mysql:mysql-connector-j",
        "redis://:s3cret@cache, dev.leasehold:leasehold-redis, version of leasehold-core",
        "file:leases, dev.leasehold:leasehold-file, version of leasehold-core",
        "postgresql://ann:s3cret@db/app, jdbc:postgresql:, memory:",
    })
    @DisplayName("says which dependencies a URL needs if they are missing, and quotes no password")
    void missingModules(String url, String first, String second) {
        assertThatThrownBy(() -> Leasehold.open(url))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(first)
                .hasMessageContaining(second)
                .message()
                .doesNotContain("s3cret");
    }

    @Test
    @DisplayName("opens a store by URL that needs nothing to be created")
    void memory() {
        try (Leasehold opened = Leasehold.openOrCreate("memory:")) {
            assertThat(opened.runIfFree("a", lease -> done.add("in memory"))).isTrue();
        }
        assertThat(done).containsExactly("in memory");
    }
}
