package dev.leasehold.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Tenure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A store that this process shares with others, and clients of it here and there. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ProcessFixture {
    /** For how long a runner that went silent is in the way. */
    static final Duration BRIEF = Duration.ofMillis(1_500);

    private Path directory;
    private SharedStore shared;
    private LeaseStore store;
    Leases leases;

    /**
     * Makes new data, which all the tests of the class share.
     *
     * @param place an empty directory, for stores of files
     */
    protected abstract SharedStore share(Path place) throws Exception;

    @BeforeAll
    final void open(@TempDir Path place) throws Exception {
        directory = Files.createDirectory(place.resolve("effects"));
        shared = share(Files.createDirectory(place.resolve("store")));
        store = Child.open(shared.opener(), shared.arguments());
        leases = Leases.on(store);
    }

    @AfterAll
    final void close() throws Exception {
        leases.close();
        store.close();
        shared.close();
    }

    final boolean freesTheDeadAtOnce() {
        return shared.freesTheDeadAtOnce();
    }

    /** Starts a process that is told these arguments, and then how to open the store. */
    final ChildJvm start(Class<?> main, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.add(shared.opener().getName());
        all.addAll(shared.arguments());
        return ChildJvm.start(main, all.toArray());
    }

    /** Where work leaves its effects. */
    final Path directory() {
        return directory;
    }

    final LeaseRecord record(Key key) {
        return store.find(key).orElseThrow().record();
    }

    static RunSpec<String> spec() {
        return RunSpec.of(Codec.utf8());
    }

    /** For those who come after somebody who went silent; their leases outlive the test. */
    static RunSpec<String> patient() {
        return spec().waitingFor(Duration.ofSeconds(20));
    }

    /** Work that must not be done. */
    static String never(Run<String> run) {
        return fail("The work was done again, attempt " + run.attempt() + ".");
    }

    static void assertSecondAttempt(Outcome<String> outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Ran.class, ran -> assertThat(ran.attempt()).isEqualTo(2));
    }

    /** Whoever has the key now was granted it when this lease was over, and not before. */
    final void assertTakenOverAfter(LeaseRecord lease) {
        LeaseRecord present = record(lease.key());
        assertThat(present.fence()).isGreaterThan(lease.fence());
        Tenure tenure = Objects.requireNonNull(present.tenure());
        assertThat(tenure.sinceMicros()).isGreaterThanOrEqualTo(lease.expiryMicros());
    }
}
