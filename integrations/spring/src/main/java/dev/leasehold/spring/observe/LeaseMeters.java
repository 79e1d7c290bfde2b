package dev.leasehold.spring.observe;

import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.store.StoreException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a client, from its events: how long calls take and leases are held, how often they are refused, renewed, lost
 * and skipped. All are tagged with the lock's name by {@link LockNames} and never with its key, and are there at zero as soon as
 * the name is.
 *
 * <p>One for each client. Events come one after another; meters are read by any thread.
 */
final class LeaseMeters implements MeterBinder, Consumer<LeaseEvent> {
    private static final String NAME = "lock.name";
    private static final String OUTCOME = "outcome";
    private static final String CAUSE = "cause";

    /** Why leases are lost. */
    private static final List<String> CAUSES = List.of("expired", "forced", "unreachable");

    private final LockNames names;
    private final Map<String, AtomicInteger> held = new ConcurrentHashMap<>();
    private final Map<String, Held> leases = new ConcurrentHashMap<>();
    private volatile @Nullable MeterRegistry registry;

    /** A lease that was acquired and has not ended. */
    private record Held(
            String name,
            Instant since,
            Instant renewed,
            LongTaskTimer.Sample active,
            boolean wasSuspect,
            boolean isFailing) {
        Held renewedAt(Instant at) {
            return new Held(name, since, at, active, false, false);
        }

        Held suspect() {
            return new Held(name, since, renewed, active, true, isFailing);
        }

        Held failing() {
            return new Held(name, since, renewed, active, wasSuspect, true);
        }
    }

    LeaseMeters(LockNames names) {
        this.names = names;
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        registry = meters;
        names.onName(name -> register(meters, name));
    }

    private void register(MeterRegistry meters, String name) {
        for (String outcome : List.of("acquired", "busy", "error")) {
            acquire(meters, name, outcome);
        }
        wait(meters, name);
        hold(meters, name);
        for (String outcome : List.of("renewed", "late", "failed")) {
            renewals(meters, name, outcome);
        }
        CAUSES.forEach(cause -> lost(meters, name, cause));
        skipped(meters, name);
        used(meters, name);
        active(meters, name);
        Gauge.builder("leasehold.held", heldBy(name), AtomicInteger::get)
                .description("Leases that this process holds now")
                .tags(NAME, name)
                .register(meters);
    }

    private AtomicInteger heldBy(String name) {
        return held.computeIfAbsent(name, it -> new AtomicInteger());
    }

    private static Timer acquire(MeterRegistry meters, String name, String outcome) {
        return timer(meters, "leasehold.acquire", "Calls to acquire a lease", Tags.of(NAME, name, OUTCOME, outcome));
    }

    private static Timer wait(MeterRegistry meters, String name) {
        return timer(meters, "leasehold.wait", "How long calls took that were given a lease", Tags.of(NAME, name));
    }

    private static Timer hold(MeterRegistry meters, String name) {
        return timer(meters, "leasehold.hold", "How long leases were held", Tags.of(NAME, name));
    }

    private static Timer timer(MeterRegistry meters, String meter, String text, Iterable<Tag> tags) {
        return Timer.builder(meter).description(text).tags(tags).register(meters);
    }

    private static Counter renewals(MeterRegistry meters, String name, String outcome) {
        return counter(meters, "leasehold.renewals", "Renewals of leases", Tags.of(NAME, name, OUTCOME, outcome));
    }

    private static Counter lost(MeterRegistry meters, String name, String cause) {
        return counter(meters, "leasehold.lost", "Leases that were lost", Tags.of(NAME, name, CAUSE, cause));
    }

    private static Counter skipped(MeterRegistry meters, String name) {
        return counter(meters, "leasehold.skipped", "Calls that got no lease and did no work", Tags.of(NAME, name));
    }

    private static Counter counter(MeterRegistry meters, String meter, String text, Iterable<Tag> tags) {
        return Counter.builder(meter).description(text).tags(tags).register(meters);
    }

    private static DistributionSummary used(MeterRegistry meters, String name) {
        return DistributionSummary.builder("leasehold.ttl.used")
                .description("The share of its TTL that was over when a lease was renewed")
                .tags(NAME, name)
                .register(meters);
    }

    private static LongTaskTimer active(MeterRegistry meters, String name) {
        return LongTaskTimer.builder("leasehold.run.active")
                .description("Leases under which work is running")
                .tags(NAME, name)
                .register(meters);
    }

    @Override
    public void accept(LeaseEvent event) {
        MeterRegistry meters = registry;
        if (meters == null) {
            return;
        }
        LeaseEvent.Source source = event.source();
        String name = names.of(source.scope());
        if (event instanceof LeaseEvent.Acquired acquired) {
            acquire(meters, name, "acquired").record(acquired.waited());
            wait(meters, name).record(acquired.waited());
            begin(meters, name, source);
        } else if (event instanceof LeaseEvent.Refused refused) {
            acquire(meters, name, "busy").record(refused.waited());
            skipped(meters, name).increment();
        } else if (event instanceof LeaseEvent.Failed failed) {
            failed(meters, name, failed);
        } else if (event instanceof LeaseEvent.Renewed renewed) {
            renewed(meters, name, renewed);
        } else if (event instanceof LeaseEvent.AtRisk) {
            renewals(meters, name, "late").increment();
        } else if (event instanceof LeaseEvent.Retry && source.fence() != null) {
            renewals(meters, name, "failed").increment();
            leases.computeIfPresent(source.leaseId(), (id, lease) -> lease.failing());
        } else if (event instanceof LeaseEvent.Suspect) {
            leases.computeIfPresent(source.leaseId(), (id, lease) -> lease.suspect());
        } else if (event instanceof LeaseEvent.Lost lost) {
            lost(meters, name, causeOf(lost)).increment();
            end(meters, source);
        } else if (event instanceof LeaseEvent.Released
                || event instanceof LeaseEvent.Settled
                || event instanceof LeaseEvent.CleanupWarning) {
            end(meters, source);
        }
    }

    private void begin(MeterRegistry meters, String name, LeaseEvent.Source source) {
        Held begun =
                new Held(name, source.at(), source.at(), active(meters, name).start(), false, false);
        leases.put(source.leaseId(), begun);
        heldBy(name).incrementAndGet();
    }

    private static void failed(MeterRegistry meters, String name, LeaseEvent.Failed failed) {
        if (failed.source().fence() == null) {
            boolean isBusy = isBusy(failed.error());
            acquire(meters, name, isBusy ? "busy" : "error").record(failed.waited());
            skipped(meters, name).increment();
        }
    }

    /** A call that waited in vain, rather than for a store that did not answer. */
    private static boolean isBusy(LeaseException error) {
        return error.isRefusal()
                || (error.code() == LeaseException.Code.UNAVAILABLE
                        && error.getCause() instanceof IllegalStateException
                        && !(error.getCause() instanceof StoreException));
    }

    private void renewed(MeterRegistry meters, String name, LeaseEvent.Renewed renewed) {
        renewals(meters, name, "renewed").increment();
        Instant at = renewed.source().at();
        Held before = leases.get(renewed.source().leaseId());
        if (before != null) {
            leases.replace(renewed.source().leaseId(), before.renewedAt(at));
            Duration ttl = Duration.between(at, renewed.expiresAt());
            Duration used = Duration.between(before.renewed(), at);
            if (!ttl.isZero() && !ttl.isNegative() && !used.isNegative()) {
                used(meters, name).record((double) used.toNanos() / ttl.toNanos());
            }
        }
    }

    /** A lease that was suspended expired meanwhile; one whose renewals failed could not reach the store in time. */
    private String causeOf(LeaseEvent.Lost lost) {
        Held had = leases.get(lost.source().leaseId());
        if (had != null && had.wasSuspect()) {
            return "expired";
        }
        if (lost.isTaken()) {
            return "forced";
        }
        boolean isUnreachable = lost.error().getCause() != null || (had != null && had.isFailing());
        return isUnreachable ? "unreachable" : "expired";
    }

    private void end(MeterRegistry meters, LeaseEvent.Source source) {
        Held over = leases.remove(source.leaseId());
        if (over != null) {
            over.active().stop();
            heldBy(over.name()).decrementAndGet();
            Duration time = Duration.between(over.since(), source.at());
            hold(meters, over.name()).record(time.isNegative() ? Duration.ZERO : time);
        }
    }
}
