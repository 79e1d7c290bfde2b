package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Work;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.LogLines;
import dev.leasehold.tck.ManualTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What is answered over HTTP to trouble")
class HttpTroubleTest {
    private static final Key KEY = Key.of("report");
    private static final Key PRINTER = Key.of("printer");
    private static final RunSpec<String> SPEC = RunSpec.of(Codec.utf8());

    private final ManualTime time = new ManualTime();
    private final MemoryLeaseStore memory = new MemoryLeaseStore(time.storeClock());
    private final FaultyStore store = FaultyStore.inManualTime(memory);
    private final Leases leases =
            Leases.builder(store).clockwork(time).withoutLog().build();

    private int status(RunSpec<String> spec, Work<String> work) throws Exception {
        return HttpProfile.CLIENT
                .answer(() -> Once.on(leases, KEY, spec).run(work))
                .status();
    }

    private void occupy(Key key) {
        memory.acquire(AcquireRequest.of(key, new Nonce(1, 1), Owner.of("other"), LeaseOptions.DEFAULT_TTL));
    }

    @Test
    @DisplayName("503 if a run whose runner went silent cannot be put on hold, because the store does not answer")
    void cannotBeHeld() throws Exception {
        occupy(KEY);
        time.advance(LeaseOptions.DEFAULT_TTL);
        store.always(Verb.SETTLE, new Fault.LostRequest());
        CompletableFuture<Outcome<String>> outcome =
                Once.on(leases, KEY, SPEC.withOnStale(OnStale.HOLD)).runAsync(run -> new CompletableFuture<>());
        time.advance(LeaseOptions.DEFAULT_TTL.multipliedBy(2));
        assertThat(HttpProfile.CLIENT
                        .answer(() -> {
                            throw (Exception) outcome.handle((value, error) -> error.getCause())
                                    .join();
                        })
                        .status())
                .isEqualTo(503);
    }

    @Test
    @DisplayName("503 if the work stops because its own lease was lost")
    void lostLease() throws Exception {
        int status = status(SPEC, run -> {
            store.cutOff();
            time.advance(LeaseOptions.DEFAULT_TTL);
            run.ensure();
            return "done";
        });
        assertThat(status).isEqualTo(503);
    }

    @Test
    @DisplayName("503 if a run within the run stops because the outer lease was lost, and the error within a third run")
    void lostOuterLease() throws Exception {
        Once<String> inner = Once.on(leases, PRINTER, SPEC);
        Work<String> outer = run -> {
            run.lease().abandon("as the test wants");
            inner.run(printing -> {
                run.ensure();
                return "printed";
            });
            return "done";
        };
        assertThat(status(SPEC, outer)).isEqualTo(503);
        assertThatThrownBy(() -> HttpProfile.CLIENT.answer(() -> Once.on(leases, Key.of("third"), SPEC)
                        .run(third -> Once.on(leases, Key.of("second"), SPEC)
                                .run(outer)
                                .toString())))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("the work's own error if it could not have another lease, also through a run within the run")
    void anotherLease() throws Exception {
        occupy(PRINTER);
        assertThatThrownBy(() -> status(SPEC, run -> {
                    leases.tryAcquire(PRINTER).orElseThrow();
                    return "printed";
                }))
                .isInstanceOfSatisfying(
                        LeaseException.class, error -> assertThat(error.key()).isEqualTo(PRINTER));
        RunSpec<String> impatient = SPEC.withRetry(RetryPolicy.DEFAULT.withMaxAttempts(1));
        assertThatThrownBy(() -> status(SPEC, run -> {
                    store.always(Verb.ACQUIRE, new Fault.LostRequest());
                    Once.on(leases, PRINTER, impatient).run(inner -> "printed");
                    return "done";
                }))
                .isInstanceOfSatisfying(
                        LeaseException.class, error -> assertThat(error.key()).isEqualTo(PRINTER));
        assertThat(HttpProfile.CLIENT
                        .answer(() -> Once.on(leases, KEY, impatient).run(run -> "done"))
                        .status())
                .as("the run's own")
                .isEqualTo(503);
    }

    @Test
    @DisplayName("failed to the task queue whose call used up the last attempt, and already finished to the next one")
    void noAttemptLeft() throws Exception {
        occupy(KEY);
        time.advance(LeaseOptions.DEFAULT_TTL);
        RunSpec<String> once = SPEC.withMaxAttempts(1);

        assertThat(toQueue(once)).contains("\"failed\"", Failure.ATTEMPTS_EXHAUSTED);
        assertThat(toQueue(once)).contains("\"skipped\"", "already_finished");
    }

    private String toQueue(RunSpec<String> spec) throws Exception {
        return HttpProfile.QUEUE
                .answer(() -> Once.on(leases, KEY, spec).run(run -> "done"))
                .json()
                .orElseThrow();
    }

    @Test
    @DisplayName("503 with the reason in the log, which says the key and that the store did not answer")
    void reasonIsLogged() throws Exception {
        store.cutOff();
        try (LogLines log = LogLines.of("dev.leasehold")) {
            assertThat(status(SPEC.withRetry(RetryPolicy.DEFAULT.withMaxAttempts(1)), run -> "done"))
                    .isEqualTo(503);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARNING: Answered 503: The store gave no usable answer")
                    .contains("key report");
        }
    }

    @Test
    @DisplayName("404 to a missing record of the run, and the work's own error if it did not find another one")
    void missingRecords() throws Exception {
        Leases records = Leases.builder(new ForwardingStore(memory) {
                    @Override
                    public Optional<RecordTraits> recordTraits() {
                        return Optional.of(RecordTraits.of("reports", RecordTraits.Ability.RUN));
                    }

                    @Override
                    public AcquireResult acquire(AcquireRequest request) {
                        return request.key().equals(KEY) ? super.acquire(request) : new AcquireResult.Missing();
                    }
                })
                .clockwork(time)
                .withoutLog()
                .build();
        var spec = RunSpec.of(RecordCodec.fields()).withFailurePolicy(FailurePolicy.CLEAR);
        assertThat(HttpProfile.CLIENT
                        .answer(() -> Once.on(records, PRINTER, spec).run(run -> null))
                        .status())
                .isEqualTo(404);
        assertThatThrownBy(() -> HttpProfile.CLIENT.answer(() -> Once.on(records, KEY, spec)
                        .run(run -> {
                            Once.on(records, PRINTER, spec).run(inner -> null);
                            return null;
                        })))
                .isInstanceOf(RecordNotFoundException.class);
    }
}
