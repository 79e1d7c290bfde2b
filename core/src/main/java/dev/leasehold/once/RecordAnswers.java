package dev.leasehold.once;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.RecordTraits.Ability;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Answers in fields of the user's own record: the record itself is what later callers are given. */
final class RecordAnswers<R> extends Answers<R> {
    private final RecordTraits traits;
    private final RecordCodec<R> codec;

    /**
     * @throws IllegalArgumentException if the spec asks for what the records cannot do, with what to change
     */
    RecordAnswers(Key key, RunSpec<R> spec, RecordTraits traits) {
        super(key, spec);
        this.traits = traits;
        this.codec = codec(spec);
        require(
                traits.can(Ability.RUN),
                "can be leased but not run, because the mapping does not say when a record is done",
                "Add doneWhen or doneWhenNotNull to the mapping.");
        require(
                spec.maxAttempts() == Integer.MAX_VALUE || (traits.can(Ability.ATTEMPTS) && traits.can(Ability.FAIL)),
                "cannot limit attempts: that needs both attempts and failedWhen",
                "Add attempts and failedWhen to the mapping, or leave out withMaxAttempts.");
        require(
                spec.onFailure() == FailurePolicy.CLEAR || traits.can(Ability.FAIL),
                "cannot be marked as failed",
                "Add failedWhen to the mapping, or use withFailurePolicy(FailurePolicy.CLEAR).");
        require(
                spec.onStale() == OnStale.RERUN || traits.can(Ability.FAIL),
                "cannot be put on hold",
                "Add failedWhen to the mapping, or leave out withOnStale.");
        require(
                spec.largestResult() == RunSpec.DEFAULT_LARGEST_RESULT,
                "keeps the answer in its own fields, which have limits of their own",
                "Leave out withLargestResult, and limit the fields or what the codec writes.");
        require(
                spec.cache() == null,
                "cannot be cached: other programs may change it at any time",
                "Leave out withLocalCache.");
        require(
                spec.retention().equals(RunSpec.DEFAULT_RETENTION),
                "is kept until its owner changes it, not for a time",
                "Leave out withRetention.");
        requireTtl(traits.fixedTtl());
    }

    private void requireTtl(@Nullable Duration fixed) {
        if (fixed != null) {
            String longest = fixed.toMillis() % 1_000 == 0 ? fixed.toSeconds() + " s" : fixed.toMillis() + " ms";
            require(
                    spec.leaseTtl().compareTo(fixed) <= 0,
                    "is locked for " + longest + " at a time, and the spec asks for " + spec.leaseTtl(),
                    "Use withLeaseTtl(...) of at most " + longest + ", or a longer TTL in since(...).");
        }
    }

    private RecordCodec<R> codec(RunSpec<R> spec) {
        RecordCodec<R> given = spec.recordCodec();
        require(
                given != null,
                "keeps the answer in its own fields, but the spec has a Codec of bytes",
                "Use RunSpec.of(RecordCodec).");
        return Objects.requireNonNull(given);
    }

    private void require(boolean holds, String why, String advice) {
        if (!holds) {
            throw new IllegalArgumentException("The record " + recordName() + " " + why + ". " + advice);
        }
    }

    @Override
    R value(Settlement kept) {
        return read(kept.fields());
    }

    /**
     * The record as the caller's own type.
     *
     * @throws ResultException if the codec cannot read it
     */
    R read(@Nullable Fields record) {
        try {
            return Objects.requireNonNull(codec.read(record == null ? Fields.NONE : record), "the codec returned null");
        } catch (Exception | StackOverflowError e) {
            throw new ResultException(
                    key, "The record " + recordName() + " cannot be read (" + ErrorText.messageOf(e) + ")", e);
        }
    }

    @Override
    Failure failure(Settlement kept) {
        Fields record = Objects.requireNonNullElse(kept.fields(), Fields.NONE);
        String code = text(record, traits.code());
        String reason = text(record, traits.reason());
        return Failure.of(
                code == null ? "failed" : code,
                reason == null ? "The record " + recordName() + " does not say why." : reason);
    }

    /** The text of a field that others may have written as they like. */
    private static @Nullable String text(Fields record, @Nullable String field) {
        Object value = field == null ? null : record.value(field);
        String text = value == null ? "" : value.toString();
        return text.isEmpty() ? null : text;
    }

    @Override
    String reason(Settlement kept) {
        return failure(kept).message();
    }

    @Override
    Envelope before(Lease lease) {
        return lease.checkpoint()
                .map(kept -> new Envelope(List.of(), new Envelope.Body.Bytes(kept)))
                .orElse(Envelope.EMPTY);
    }

    /** A record of the user's may not count them: a holder that let its lease expire was one all the same. */
    @Override
    int earlierAttempts(Lease lease) {
        int counted = lease.attempt() - 1;
        return lease.predecessor().isPresent() ? Math.max(1, counted) : counted;
    }

    @Override
    Settlement done(Envelope ended, @Nullable R value) {
        if (value == null) {
            return Settlement.done(Fields.NONE);
        }
        try {
            Fields written = Objects.requireNonNull(codec.write(value), "the codec returned null");
            for (String name : written.names()) {
                if (!traits.writable().contains(name)) {
                    throw new IllegalArgumentException(
                            "the mapping does not let a run write the field " + name + "; name it in writes(...)");
                }
            }
            return Settlement.done(written);
        } catch (Exception | StackOverflowError e) {
            throw new ResultException(key, "The result cannot be written (" + ErrorText.messageOf(e) + ")", e);
        }
    }

    @Override
    Settlement failed(Envelope ended, Failure failure) {
        Fields written = Fields.NONE;
        String reason = traits.reason();
        String code = traits.code();
        if (reason != null) {
            written = written.and(reason, failure.message());
        }
        if (code != null) {
            written = written.and(code, failure.code());
        }
        return Settlement.failed(written);
    }

    @Override
    Settlement onHold(Envelope ended, String reason) {
        return failed(ended, Failure.of(Failure.ON_HOLD, reason));
    }

    @Override
    @Nullable
    Settlement progress(Envelope progress) {
        return traits.can(Ability.CHECKPOINT) && progress.body() instanceof Envelope.Body.Bytes kept
                ? Settlement.checkpoint(kept.payload())
                : null;
    }

    /** Read back, so that the first caller is given what every later one will be: with times and defaults of the store's. */
    @Override
    R recorded(SettleResult result, @Nullable R value) {
        return read(result.fields());
    }

    @Override
    @Nullable
    R readBack(LeaseStore store, @Nullable R value) {
        Fields record;
        try {
            record = store.find(key)
                    .filter(found -> found.record().state() == State.DONE)
                    .map(LeaseSnapshot::fields)
                    .orElse(null);
        } catch (RuntimeException e) {
            return value; // It is recorded, whether or not the store can be asked now.
        }
        return record == null ? value : read(record);
    }

    @Override
    boolean canHold() {
        return false;
    }

    @Override
    boolean canFail() {
        return traits.can(Ability.FAIL);
    }

    @Override
    boolean isUsersRecord() {
        return true;
    }

    @Override
    RunView<R> absent() {
        throw new RecordNotFoundException(key, recordName());
    }

    @Override
    String recordName() {
        return traits.nameOf(key);
    }
}
