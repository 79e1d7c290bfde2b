package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Work;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs on the store, and work that counts how often it was done. */
abstract class RunOnceFixture extends LeasesContractFixture {
    static final Fingerprint REQUEST = Fingerprint.of("pay 10");
    static final Fingerprint OTHER_REQUEST = Fingerprint.of("pay 100");
    private static final RetryPolicy SOON = new RetryPolicy(Duration.ofMillis(5), 1, Duration.ofMillis(5), 5);

    final AtomicInteger runs = new AtomicInteger();

    /** Text, kept for long, with a lease that no test outlives. */
    static RunSpec<String> spec() {
        return RunSpec.of(Codec.utf8()).withRetry(SOON);
    }

    /** The same with a lease that runs out when a test lets it. */
    final RunSpec<String> briefSpec() {
        return spec().withLeaseTtl(ttl());
    }

    static Once<String> once(Leases client, Key key, RunSpec<String> spec) {
        return Once.on(client, key, spec).of(REQUEST);
    }

    static Once<String> once(Leases client, Key key) {
        return once(client, key, spec());
    }

    /** Work that says which time it is that it is done. */
    final Work<String> work() {
        return run -> "run " + runs.incrementAndGet();
    }

    /** Work that must not be done. */
    static Work<String> never() {
        return run -> fail("The work was done again.");
    }

    static Work<String> failing(Exception error) {
        return run -> {
            throw error;
        };
    }

    static <O extends Outcome<String>> O is(Class<O> type, Outcome<String> outcome) {
        assertThat(outcome).isInstanceOf(type);
        return type.cast(outcome);
    }

    @SuppressWarnings("unchecked") // All outcomes here are of strings.
    static Outcome.Ran<String> ran(Outcome<String> outcome) {
        return is(Outcome.Ran.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.Replayed<String> replayed(Outcome<String> outcome) {
        return is(Outcome.Replayed.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.Refused<String> refused(Outcome<String> outcome) {
        return is(Outcome.Refused.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.InProgress<String> inProgress(Outcome<String> outcome) {
        return is(Outcome.InProgress.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.Mismatch<String> mismatch(Outcome<String> outcome) {
        return is(Outcome.Mismatch.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.OnHold<String> onHold(Outcome<String> outcome) {
        return is(Outcome.OnHold.class, outcome);
    }

    @SuppressWarnings("unchecked")
    static Outcome.Unrecorded<String> unrecorded(Outcome<String> outcome) {
        return is(Outcome.Unrecorded.class, outcome);
    }

    /** A client whose leases run out: its renewals do not reach the store. */
    final Leases silent() {
        return client(
                FaultyStore.inRealTime(store).always(FaultyStore.Verb.RENEW, new FaultyStore.Fault.LostRequest()));
    }
}
