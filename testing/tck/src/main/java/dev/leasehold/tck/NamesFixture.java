package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Name;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Names that nobody used before, and two who claim them as if in two processes. */
abstract class NamesFixture extends StoreFixture {
    static final Subject ANN = Subject.of("castle-1");
    static final Subject BOB = Subject.of("castle-2");
    static final Subject CAT = Subject.of("城-3");

    private final List<Leases> clients = new ArrayList<>();
    UniqueNames names;
    UniqueNames elsewhere;

    @BeforeEach
    final void openClients() throws Exception {
        names = on(store);
        elsewhere = on(another());
    }

    @AfterEach
    final void closeClients() {
        clients.forEach(Leases::close);
    }

    final UniqueNames on(LeaseStore view) {
        Leases client =
                Leases.builder(view).retaining(Micros.FOREVER).withoutLog().build();
        clients.add(client);
        return UniqueNames.on(client);
    }

    /** A title in a scope that only this test uses. */
    final Name title(String text) {
        return Name.of(key("titles"), text, NamePolicy.slug());
    }

    final NameClaim.Won win(Name name, Subject subject) {
        return won(names.claim(name, subject, LONG));
    }

    final NameClaim.Won confirmed(Name name, Subject subject) {
        NameClaim.Won claim = win(name, subject);
        assertThat(claim.confirm()).isTrue();
        return claim;
    }

    static NameClaim.Won won(NameClaim claim) {
        return claim instanceof NameClaim.Won won ? won : fail("Not won: %s", claim);
    }

    static NameClaim.Taken taken(NameClaim claim) {
        return claim instanceof NameClaim.Taken taken ? taken : fail("Not taken: %s", claim);
    }

    final Subject holder(Name name) {
        return elsewhere
                .find(name)
                .map(NameClaim.Taken::holder)
                .orElseThrow(() -> new AssertionError("Nobody has " + name + "."));
    }

    /** What the store keeps for this test's names, but for records that are free. */
    final List<LeaseSnapshot> kept() {
        return store.list(
                        new ListRequest("names/" + prefix(), EnumSet.complementOf(EnumSet.of(State.FREE)), null, 1_000))
                .records();
    }
}
