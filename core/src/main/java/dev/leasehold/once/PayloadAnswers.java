package dev.leasehold.once;

import dev.leasehold.lease.Lease;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Answers as bytes in a record of Leasehold's own, in an {@link Envelope}. */
final class PayloadAnswers<R> extends Answers<R> {
    private final Codec<R> codec;

    PayloadAnswers(Key key, RunSpec<R> spec) {
        super(key, spec);
        this.codec = Objects.requireNonNull(spec.codec());
    }

    private Envelope.Body body(Settlement kept) {
        return Envelope.read(key, kept.payload()).body();
    }

    @Override
    @Nullable
    R value(Settlement kept) {
        if (!(body(kept) instanceof Envelope.Body.Bytes bytes)) {
            return null;
        }
        try {
            return codec.decode(bytes.payload().bytes());
        } catch (Exception e) {
            throw new ResultException(key, "The kept result cannot be read (" + ErrorText.messageOf(e) + ")", e);
        }
    }

    @Override
    Failure failure(Settlement kept) {
        return body(kept) instanceof Envelope.Body.Failed failed
                ? failed.failure()
                : Failure.of("failed", "The run failed; the record does not say why.");
    }

    @Override
    String reason(Settlement kept) {
        return body(kept) instanceof Envelope.Body.Reason reason ? reason.text() : "unknown";
    }

    @Override
    Envelope before(Lease lease) {
        return Envelope.read(key, lease.checkpoint().orElse(null));
    }

    @Override
    Settlement done(Envelope ended, @Nullable R value) {
        return Settlement.done(ended.with(result(value)).toPayload(), spec.retention());
    }

    private Envelope.Body result(@Nullable R value) {
        if (value == null) {
            return new Envelope.Body.Nothing();
        }
        byte[] bytes;
        try {
            bytes = codec.encode(value);
        } catch (Exception | StackOverflowError e) {
            throw new ResultException(key, "The result cannot be encoded (" + ErrorText.messageOf(e) + ")", e);
        }
        if (bytes == null) {
            throw new ResultException(key, "The result cannot be encoded (the codec returned null)", null);
        }
        return bytes("result", bytes);
    }

    /** A detail that is too large is left out, and the message says so. */
    @Override
    Settlement failed(Envelope ended, Failure failure) {
        Payload detail = failure.detail();
        boolean isTooLarge = detail != null && detail.size() > spec.largestResult();
        Failure kept = isTooLarge
                ? Failure.of(failure.code(), failure.message() + " (a detail of " + detail + " was left out)")
                : failure;
        return Settlement.failed(ended.with(new Envelope.Body.Failed(kept)).toPayload(), spec.retention());
    }

    @Override
    Settlement onHold(Envelope ended, String reason) {
        return Settlement.onHold(ended.with(new Envelope.Body.Reason(reason)).toPayload());
    }

    @Override
    Settlement progress(Envelope progress) {
        return Settlement.checkpoint(progress.toPayload());
    }

    @Override
    @Nullable
    R recorded(SettleResult result, @Nullable R value) {
        return value;
    }

    @Override
    @Nullable
    R readBack(LeaseStore store, @Nullable R value) {
        return value;
    }

    @Override
    boolean canHold() {
        return true;
    }

    @Override
    boolean canFail() {
        return true;
    }

    @Override
    boolean isUsersRecord() {
        return false;
    }

    @Override
    String recordName() {
        return key.toString();
    }
}
