package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Calls and records in one line each. */
final class Wording {
    private Wording() {}

    /** One line per call, with times that count from the first of them. */
    static String lines(List<Recorded> calls) {
        return lines(calls, calls);
    }

    /** The same, with a star before those that are not among the others. */
    static String lines(List<Recorded> calls, List<Recorded> others) {
        long start = calls.stream().mapToLong(Recorded::called).min().orElse(0);
        return calls.stream()
                .map(call -> (others.contains(call) ? "  " : "* ") + line(call, start))
                .collect(Collectors.joining("\n"));
    }

    private static String line(Recorded call, long start) {
        return String.format(
                Locale.ROOT,
                "%9.3f – %9s ms  %-7s %s -> %s",
                (call.called() - start) / 1e6,
                call.isUnknown() ? "?" : String.format(Locale.ROOT, "%.3f", (call.returned() - start) / 1e6),
                call.caller(),
                request(call.request()),
                call.isUnknown() ? "unknown" : answer(call));
    }

    private static String request(Object request) {
        if (request instanceof AcquireRequest acquire) {
            return "acquire " + name(acquire.nonce()) + " ttl "
                    + acquire.ttl().toMillis() + " ms"
                    + (acquire.lockDelay().isZero()
                            ? ""
                            : ", lock delay " + acquire.lockDelay().toMillis() + " ms")
                    + (acquire.waits() ? ", waits " + acquire.placeLife().toMillis() + " ms" : "");
        } else if (request instanceof ReleaseRequest release) {
            return "release " + name(release.nonce()) + " " + Objects.toString(release.fence(), "of any fence") + " "
                    + release.ending();
        } else if (request instanceof SettleRequest settle) {
            return "settle " + ref(settle.lease()) + " " + settle.settlement()
                    + (settle.checkpointNumber() == 0 ? "" : ", checkpoint " + settle.checkpointNumber());
        }
        if (request instanceof NewTtl renewal) {
            return "renew " + ref(renewal.lease()) + " with ttl "
                    + renewal.ttl().toMillis() + " ms";
        }
        return request instanceof LeaseRef lease ? "renew " + ref(lease) : "find";
    }

    private static String answer(Recorded call) {
        if (call.answer() instanceof Held held) {
            return "Held[" + owner(held.owner()) + " " + held.fence() + ", remaining " + held.remaining()
                    + (held.inLine() ? ", in line]" : "]");
        }
        return call.found()
                .map(found -> record(found.record(), found.record().fence().toString())
                        + " expires in "
                        + (found.record().expiryMicros() - found.nowMicros()) + " µs, line "
                        + found.record().line().stream()
                                .map(place -> name(place.nonce()) + " for " + (place.untilMicros() - found.nowMicros())
                                        + " µs")
                                .toList())
                .orElseGet(() -> call.renewal()
                        .map(renewal -> "renewed for " + renewal.remaining())
                        .orElseGet(() -> Objects.toString(call.answer())));
    }

    /** What is known, with times that count from this one of the store's clock. */
    static String state(Possible known, long now) {
        LeaseRecord record = known.record();
        if (record == null) {
            return "no record";
        }
        String fence = known.fence().isExact()
                ? "" + known.fence().from()
                : "from " + known.fence().from();
        return record(record, fence) + " expires in " + span(known.expiry(), now) + " µs, line "
                + known.line().values().stream()
                        .map(waiting -> name(waiting.place().nonce()) + " for " + span(waiting.until(), now) + " µs")
                        .toList();
    }

    private static String span(Span span, long now) {
        return span.equals(Span.ANY) ? "any" : (span.from() - now) + ".." + (span.to() - now);
    }

    private static String record(LeaseRecord record, String fence) {
        Tenure tenure = record.tenure();
        return record.state() + (tenure == null ? "" : " " + name(tenure.nonce())) + " " + fence + ", attempts "
                + record.progress().tally() + ", last released "
                + (record.tombstone() == null ? "none" : name(record.tombstone())) + ", "
                + record.progress().payload();
    }

    private static String ref(LeaseRef lease) {
        return name(lease.nonce()) + " " + lease.fence();
    }

    private static String owner(@Nullable Owner owner) {
        return Objects.toString(owner, "nobody");
    }

    private static String name(Nonce nonce) {
        return nonce.name().substring(0, 6);
    }
}
