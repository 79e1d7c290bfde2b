package dev.leasehold.tck.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.RunView;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Fields;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The contract of runs on a record of the user's own, on every store that has such records. */
public abstract class RecordRunContract {
    private static final Duration TTL = Duration.ofMinutes(5);

    /** A job as a caller of the library would declare it. */
    private record Job(
            String id,
            @Nullable String status,
            @Nullable String text,
            @Nullable Long words) {
        Job with(String newText, long newWords) {
            return new Job(id, status, newText, newWords);
        }
    }

    private static final RecordCodec<Job> JOBS = RecordCodec.of(
            fields -> new Job(
                    String.valueOf(fields.text("id")),
                    fields.text("status"),
                    fields.text("text"),
                    fields.number("words")),
            job -> Fields.of("text", job.text()).and("words", job.words()));

    private static final RunSpec<Job> SPEC = RunSpec.of(JOBS).withLeaseTtl(TTL);

    private final String id = UUID.randomUUID().toString();
    private final AtomicInteger worked = new AtomicInteger();
    private @Nullable RecordsUnderTest records;
    private @Nullable LeaseStore store;
    private @Nullable Leases leases;
    private @Nullable LeaseStore otherStore;
    private @Nullable Leases others;

    /** The records to test, made for one test. */
    protected abstract RecordsUnderTest recordsUnderTest();

    @BeforeEach
    final void open() {
        records = recordsUnderTest();
        store = records.open();
        otherStore = records.open();
        leases = Leases.on(store);
        others = Leases.on(otherStore);
        records.create(id, "PENDING", "two words");
    }

    @AfterEach
    final void close() {
        leases().close();
        other().close();
        there(store).close();
        there(otherStore).close();
        records().close();
    }

    private static <T> T there(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("The test was not opened.");
        }
        return value;
    }

    private RecordsUnderTest records() {
        return there(records);
    }

    private Leases leases() {
        return there(leases);
    }

    private Leases other() {
        return there(others);
    }

    private Once<Job> once(Leases on, RunSpec<Job> spec) {
        return Once.on(on, records().keyOf(id), spec);
    }

    private Outcome<Job> count(Leases on) throws Exception {
        return once(on, SPEC).run(run -> {
            worked.incrementAndGet();
            return run.record().with("counted", 2);
        });
    }

    private Fields row() {
        return records().read(id);
    }

    @Test
    @DisplayName("Z01 The first run is given the record, writes its result, and leaves it done and unlocked")
    final void firstRun() throws Exception {
        AtomicReference<Job> given = new AtomicReference<>();
        AtomicReference<Fields> during = new AtomicReference<>();
        Outcome<Job> outcome = once(leases(), SPEC).run(run -> {
            given.set(run.record());
            during.set(row());
            return run.record().with("counted", 2);
        });

        assertThat(given).hasValue(new Job(id, "PENDING", "two words", null));
        assertThat(there(during.get()).flag("locked")).isTrue();
        assertThat(there(during.get()).text("status")).isEqualTo("PENDING");
        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(outcome.toOptional()).contains(new Job(id, "READY", "counted", 2L));
        assertThat(row().flag("locked")).isFalse();
        assertThat(row().text("status")).isEqualTo("READY");
        assertThat(row().number("words")).isEqualTo(2);
        assertThat(row().flag("heard"))
                .as("when the holder was last heard of is worth most once it is gone")
                .isTrue();
        assertThat(there(during.get()).number("attempts")).isEqualTo(1);
        assertThat(row().number("attempts"))
                .as("attempts since it was finished")
                .isZero();
    }

    @Test
    @DisplayName("Z02 Later callers are given the record as it stands, and write nothing")
    final void replay() throws Exception {
        Outcome<Job> first = count(leases());
        Fields before = row();
        Outcome<Job> second = count(other());

        assertThat(worked).hasValue(1);
        assertThat(second).isInstanceOf(Outcome.Replayed.class);
        assertThat(second.toOptional()).isEqualTo(first.toOptional());
        assertThat(second.toString()).as("the record is the user's to change").contains("attempts=0, kept for ever]");
        assertThat(row()).isEqualTo(before);

        records().set(id, "text", "corrected by hand");
        assertThat(count(other()).toOptional()).contains(new Job(id, "READY", "corrected by hand", 2L));
    }

    @Test
    @DisplayName("Z03 A failure for good is kept with its reason, and is the answer from then on")
    final void keptFailure() throws Exception {
        Outcome<Job> now = once(leases(), SPEC).run(run -> {
            throw new TerminalException(Failure.of("empty", "There is no text."));
        });
        Outcome<Job> later = count(other());

        assertThat(now).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
            assertThat(refused.failure().message()).isEqualTo("There is no text.");
            assertThat(refused.cause()).isInstanceOf(TerminalException.class);
        });
        assertThat(later).isInstanceOfSatisfying(Outcome.Refused.class, refused -> {
            assertThat(refused.failure().message()).isEqualTo("There is no text.");
            assertThat(refused.cause()).isNull();
        });
        assertThat(worked).hasValue(0);
        assertThat(row().text("status")).isEqualTo("FAILED");
        assertThat(row().text("error")).isEqualTo("There is no text.");
        assertThat(row().text("text")).isEqualTo("two words");
        assertThat(row().flag("locked")).isFalse();
    }

    @Test
    @DisplayName("Z04 A failure that clears unlocks the record and changes nothing else, and the next caller runs")
    final void clearedFailure() throws Exception {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> once(leases(), SPEC).run(run -> {
                    throw new IOException("S3 is down");
                }));

        assertThat(row().flag("locked")).isFalse();
        assertThat(row().text("status")).isEqualTo("PENDING");
        assertThat(row().text("text")).isEqualTo("two words");
        assertThat(row().text("error")).isNull();
        assertThat(row().number("attempts")).isEqualTo(1);
        assertThat(count(other()))
                .isInstanceOfSatisfying(
                        Outcome.Ran.class, ran -> assertThat(ran.attempt()).isEqualTo(2));
    }

    @Test
    @DisplayName("Z05 While one caller is at it, others are told so, and for how long at most")
    final void inProgress() throws Exception {
        once(leases(), SPEC).run(run -> {
            Outcome<Job> busy = count(other());
            assertThat(busy).isInstanceOfSatisfying(Outcome.InProgress.class, held -> {
                assertThat(held.retryAfter()).isPositive().isLessThanOrEqualTo(TTL.plusSeconds(1));
                assertThat(held.fence()).isEqualTo(run.fence());
            });
            assertThat(once(other(), SPEC).peek().standing()).isEqualTo(RunView.Standing.RUNNING);
            return null;
        });
        assertThat(worked).hasValue(0);
        assertThat(row().text("text")).as("null writes no field").isEqualTo("two words");
        assertThat(row().text("status")).isEqualTo("READY");
    }

    @Test
    @DisplayName("Z06 A record that does not exist is an error that names it, and is not made")
    final void missing() throws Exception {
        String nobody = UUID.randomUUID().toString();
        Once<Job> once = Once.on(leases(), records().keyOf(nobody), SPEC);

        assertThatExceptionOfType(RecordNotFoundException.class)
                .isThrownBy(() -> once.run(run -> null))
                .withMessageContaining(records().nameOf(nobody));
        assertThatExceptionOfType(RecordNotFoundException.class).isThrownBy(once::peek);
        assertThatExceptionOfType(RecordNotFoundException.class)
                .as("also if it is only to be leased")
                .isThrownBy(() -> Leasehold.with(leases()).runIfFree(records().keyOf(nobody), lease -> {}));
        HttpAnswer answer = HttpProfile.QUEUE.answer(() -> once.run(run -> null));
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().orElseThrow())
                .contains("not-found")
                .contains(records().nameOf(nobody));
    }

    @Test
    @DisplayName("Z07 A record whose runner went silent is taken over, and the overtaken runner writes nothing more")
    final void takeOver() throws Exception {
        AtomicReference<Outcome<Job>> successor = new AtomicReference<>();
        AtomicReference<Fence> fence = new AtomicReference<>();
        Outcome<Job> overtaken = once(leases(), SPEC).run(run -> {
            records().expire(id);
            successor.set(once(other(), SPEC).run(next -> {
                fence.set(next.fence());
                assertThat(next.attempt()).isEqualTo(2);
                assertThat(next.predecessor()).isPresent();
                return next.record().with("by the successor", 3);
            }));
            assertThat(fence.get()).isGreaterThan(run.fence());
            return run.record().with("by the overtaken", 4);
        });

        assertThat(successor.get()).isInstanceOf(Outcome.Ran.class);
        assertThat(overtaken).isInstanceOf(Outcome.Unrecorded.class);
        assertThat(HttpProfile.QUEUE.answer(overtaken).status())
                .as("the record is the result, and another run may still write it: the queue sends the task again")
                .isEqualTo(503);
        assertThat(row().text("text")).isEqualTo("by the successor");
    }

    @Test
    @DisplayName("Z08 The overtaken runner's failure clears nothing of its successor's")
    final void overtakenFailure() throws Exception {
        Lease[] taken = new Lease[1];
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> once(leases(), SPEC).run(run -> {
                    records().expire(id);
                    taken[0] = other().tryAcquire(
                                    records().keyOf(id), LeaseOptions.noWait().withTtl(TTL))
                            .orElseThrow();
                    throw new IOException("too late");
                }));

        assertThat(row().flag("locked")).isTrue();
        assertThat(taken[0].isValid()).isTrue();
        taken[0].release();
        assertThat(row().flag("locked")).isFalse();
    }

    @Test
    @DisplayName(
            "Z09 An attempt that the policy resets does not count, not even as the last; the record is free and unchanged")
    final void resetAttemptDoesNotCount() throws Exception {
        RunSpec<Job> once = SPEC.withMaxAttempts(1).withFailurePolicy((error, attempt) -> Verdict.RESET);
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> once(leases(), once).run(run -> {
                    throw new InterruptedException("the process ends");
                }));

        assertThat(row().text("status")).isEqualTo("PENDING");
        assertThat(row().flag("locked")).isFalse();
        assertThat(once(other(), once).run(run -> null)).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName("Z09 A run that was tried as often as allowed has failed for good")
    final void attemptsAreLimited() throws Exception {
        RunSpec<Job> twice = SPEC.withMaxAttempts(2);
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> once(leases(), twice).run(run -> {
                        throw new IOException("again");
                    }));
        }

        assertThat(once(other(), twice).run(run -> null)).isInstanceOf(Outcome.Refused.class);
        assertThat(row().text("status")).isEqualTo("FAILED");
        assertThat(row().text("error")).contains("2 attempts");

        records().set(id, "status", "PENDING");
        assertThat(once(other(), twice).run(run -> null))
                .as("its owner wants it done anew")
                .isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName(
            "Z10 A finished status that a person set while the work ran stays, and the run says that it was not recorded")
    final void finishedByHand() throws Exception {
        Outcome<Job> outcome = once(leases(), SPEC).run(run -> {
            records().set(id, "status", "FAILED");
            return run.record().with("late", 1);
        });

        assertThat(outcome).isInstanceOf(Outcome.Unrecorded.class);
        assertThat(row().text("status")).isEqualTo("FAILED");
        assertThat(row().text("text")).isEqualTo("two words");
    }

    @Test
    @DisplayName("Z11 What others change meanwhile stays, and a field that the mapping does not name is not written")
    final void otherFields() throws Exception {
        once(leases(), SPEC).run(run -> {
            records().set(id, "note", "by a person");
            return run.record().with("counted", 2);
        });
        assertThat(row().text("note")).isEqualTo("by a person");

        records().set(id, "status", "PENDING");
        RunSpec<Fields> fields = RunSpec.of(RecordCodec.fields()).withLeaseTtl(TTL);
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> Once.on(leases(), records().keyOf(id), fields)
                        .run(run -> Fields.of("note", "by the run"))
                        .toOptional()
                        .orElseThrow());
        assertThat(row().text("note")).isEqualTo("by a person");
        assertThat(row().text("status")).isEqualTo("PENDING");
    }

    @Test
    @DisplayName("Z12 A settlement whose reply was lost is found in the record when it is asked again")
    final void settledTwice() {
        Lease lease = leases().tryAcquire(
                        records().keyOf(id), LeaseOptions.noWait().withTtl(TTL))
                .orElseThrow();
        Settlement done = Settlement.done(Fields.of("text", "counted"));

        assertThat(there(store).settle(SettleRequest.of(lease.ref(), done)).isSettled())
                .isTrue();
        Fields before = row();
        assertThat(there(otherStore).settle(SettleRequest.of(lease.ref(), done)).isSettled())
                .isTrue();
        assertThat(row()).isEqualTo(before);
        assertThat(there(otherStore)
                        .settle(SettleRequest.of(lease.ref(), Settlement.failed(Fields.NONE)))
                        .isSettled())
                .isFalse();
    }

    @Test
    @DisplayName("Z13 A record without a status, or with one that means nothing, is free")
    final void unknownStatus() throws Exception {
        records().set(id, "status", null);
        assertThat(count(leases())).isInstanceOf(Outcome.Ran.class);
        records().set(id, "status", "WHAT");
        assertThat(count(leases())).isInstanceOf(Outcome.Ran.class);
        assertThat(worked).hasValue(2);
    }

    @Test
    @DisplayName("Z14 A spec that the records cannot keep is refused before anything happens, with what to change")
    final void unfitSpecs() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Once.on(leases(), records().keyOf(id), RunSpec.of(Codec.utf8())))
                .withMessageContaining("RecordCodec");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> once(leases(), SPEC.withRetention(Duration.ofDays(30))))
                .withMessageContaining("Leave out withRetention.");
        assertThat(row().number("attempts")).isIn(0L, null);
    }

    @Test
    @DisplayName("Z15 With a policy that clears everything, a failure for good clears too")
    final void everythingClears() {
        assertThatExceptionOfType(TerminalException.class)
                .isThrownBy(() -> once(leases(), SPEC.withFailurePolicy(FailurePolicy.CLEAR))
                        .run(run -> {
                            throw new TerminalException(Failure.of("no", "No."));
                        }));
        assertThat(row().text("status")).isEqualTo("PENDING");
        assertThat(row().flag("locked")).isFalse();
    }

    @Test
    @DisplayName("Z16 A task queue is answered: done, skipped because finished, told to come again while locked")
    final void queue() throws Exception {
        HttpAnswer done = HttpProfile.QUEUE.answer(() -> once(leases(), SPEC).run(run -> {
            HttpAnswer busy = HttpProfile.QUEUE.answer(() -> count(other()));
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.headers()).containsKey(HttpAnswer.RETRY_AFTER);
            return null;
        }));
        HttpAnswer again = HttpProfile.QUEUE.answer(() -> count(other()));

        assertThat(done.status()).isEqualTo(200);
        assertThat(done.json()).contains("{\"status\":\"done\"}");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json()).contains("{\"reason\":\"already_finished\",\"status\":\"skipped\"}");
    }

    @Test
    @DisplayName("Z17 A record that a person marked as done while the work ran is not taken for the run's own")
    final void doneByHand() throws Exception {
        Outcome<Job> outcome = once(leases(), SPEC).run(run -> {
            records().set(id, "status", "READY");
            records().set(id, "text", "by a person");
            return run.record().with("by the run", 7);
        });

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Unrecorded.class,
                        unrecorded -> assertThat(unrecorded.isLeaseLost()).isTrue());
        assertThat(row().text("text")).isEqualTo("by a person");
        assertThat(row().number("words")).isNull();
    }

    @Test
    @DisplayName("Z18 A status that means nothing, set while the work ran, is written over by the result")
    final void meaninglessStatus() throws Exception {
        Outcome<Job> outcome = once(leases(), SPEC).run(run -> {
            records().set(id, "status", "CANCELLED");
            return run.record().with("counted", 2);
        });

        assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        assertThat(row().text("status")).isEqualTo("READY");
    }
}
