package dev.leasehold.spring.observe;

import dev.leasehold.lease.ForcedRelease;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Leases on the application's store, of all its processes: listed, shown, and taken away by an operator. Nobody has access
 * until {@code management.endpoint.leasehold.access} grants it.
 */
@Endpoint(id = "leasehold", defaultAccess = Access.NONE)
public final class LeaseholdEndpoint {
    private final Leases leases;

    LeaseholdEndpoint(Leases leases) {
        this.leases = leases;
    }

    /**
     * A page of leases.
     *
     * @param next what to ask for as {@code after}, for the next page; null if this was the last
     */
    public record Listing(List<Shown> leases, @Nullable String next) {}

    /**
     * A record.
     *
     * @param state held, done, failed or hold; expired if it was held and its time is over
     * @param fence to be named by whoever takes it away
     * @param remaining how long the state lasts still
     * @param attempts of the run
     * @param waiting how many callers are in line
     */
    public record Shown(
            String key,
            String state,
            String fence,
            @Nullable String owner,
            Duration heldFor,
            Duration remaining,
            int attempts,
            int waiting) {}

    /**
     * What became of a forced release.
     *
     * @param outcome released; or changed, if another holder has it by now; or not-held
     * @param lease as it stood before, or as it stands now if it has changed
     */
    public record Forced(String outcome, @Nullable Shown lease) {}

    /**
     * One record, or a page of those that are held.
     *
     * @param key the record to show, whatever its state
     * @param prefix what the keys begin with
     * @param after the last key of the page before
     * @param all whether free and finished records are listed too
     */
    @ReadOperation
    public Listing leases(
            @Nullable String key, @Nullable String prefix, @Nullable String after, @Nullable Boolean all) {
        if (key != null) {
            List<Shown> found = leases.store().find(Key.of(key)).map(LeaseholdEndpoint::shown).stream()
                    .toList();
            return new Listing(found, null);
        }
        Set<State> states = Boolean.TRUE.equals(all) ? Set.of(State.values()) : Set.of(State.HELD);
        Page page = leases.store()
                .list(new ListRequest(prefix == null ? "" : prefix, states, after == null ? null : Key.of(after), 100));
        Key next = page.next();
        return new Listing(
                page.records().stream().map(LeaseholdEndpoint::shown).toList(), next == null ? null : next.value());
    }

    /**
     * Takes a lease away from its holder. The work may still run: it learns of its loss at the next renewal. The history tells
     * who did it, and why.
     *
     * @param fence of the lease that is meant, as it was shown
     */
    @DeleteOperation
    public Forced release(SecurityContext caller, String key, long fence, String reason) {
        String by = Optional.ofNullable(caller.getPrincipal())
                .map(Principal::getName)
                .orElse("actuator");
        ForcedRelease forced = leases.forceRelease(Key.of(key), new Fence(fence), by, reason);
        if (forced instanceof ForcedRelease.Released released) {
            return new Forced("released", shown(released.before()));
        }
        return forced instanceof ForcedRelease.Changed changed
                ? new Forced("changed", shown(changed.found()))
                : new Forced("not-held", null);
    }

    private static Shown shown(LeaseSnapshot found) {
        Tenure tenure = found.record().tenure();
        boolean isExpired = found.record().state() == State.HELD && !found.isHeld();
        return new Shown(
                found.key().value(),
                isExpired ? "expired" : found.record().state().toString().toLowerCase(Locale.ROOT),
                found.record().fence().toString(),
                tenure == null || tenure.owner() == null ? null : tenure.owner().toString(),
                found.heldFor(),
                found.remaining(),
                found.record().progress().attempts(),
                found.record().line().size());
    }
}
