package dev.leasehold.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Name;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Names whose process is killed between claiming and confirming. */
abstract class KilledClaimCases extends StoppedRunCases {
    private static final Duration PENDING = Duration.ofSeconds(4);
    private static final Subject DEAD = Subject.of("castle-1");
    private static final Subject OTHER = Subject.of("castle-2");
    private static final Name LEFT = title("Left Behind");
    private static final Name RECLAIMED = title("Claimed Again");

    private static Name title(String text) {
        return Name.of(Key.of("titles"), text, NamePolicy.slug());
    }

    /** Claims the names, and confirms none. */
    static final class Claimer {
        private Claimer() {}

        public static void main(String[] arguments) throws Exception {
            UniqueNames names = UniqueNames.on(Leases.on(Child.open(arguments, 0)));
            won(names.claim(LEFT, DEAD, PENDING));
            won(names.claim(RECLAIMED, DEAD, PENDING));
            Child.standStill("claimed");
        }
    }

    private static NameClaim.Won won(NameClaim claim) {
        return claim instanceof NameClaim.Won won ? won : fail("Not won: %s", claim);
    }

    private NameClaim claim(Name name, Subject subject) {
        return UniqueNames.on(leases).claim(name, subject, PENDING);
    }

    private static void assertPending(NameClaim claim) {
        assertThat(claim).isInstanceOfSatisfying(NameClaim.Taken.class, taken -> {
            assertThat(taken.holder()).isEqualTo(DEAD);
            assertThat(taken.isPending()).isTrue();
            assertThat(taken.remaining()).isPositive().isLessThanOrEqualTo(PENDING);
        });
    }

    /** Asks until another can have the name. Until then it is told whose it is. */
    private NameClaim.Won claimWhenOver(Name name) {
        NameClaim claim = claim(name, OTHER);
        assertThat(claim instanceof NameClaim.Won).as("%s", claim).isEqualTo(freesTheDeadAtOnce());
        while (claim instanceof NameClaim.Taken) {
            assertPending(claim);
            LockSupport.parkNanos(20_000_000);
            claim = claim(name, OTHER);
        }
        return won(claim);
    }

    @Test
    @DisplayName(
            "K01, K02 A process is killed between claiming a name and confirming it: its subject can claim it again"
                    + " until the claim is over, and others after that")
    final void killedBeforeConfirming() {
        try (ChildJvm claimer = start(Claimer.class)) {
            assertThat(claimer.line()).isEqualTo("claimed");
        }
        LeaseRecord left = record(LEFT.key());
        LeaseRecord reclaimed = record(RECLAIMED.key());
        if (!freesTheDeadAtOnce()) {
            assertPending(claim(RECLAIMED, OTHER));
        }

        NameClaim.Won again = won(claim(RECLAIMED, DEAD));
        assertThat(again.fence().equals(reclaimed.fence())).as("the same claim").isNotEqualTo(freesTheDeadAtOnce());
        assertThat(again.confirm()).isTrue();

        NameClaim.Won others = claimWhenOver(LEFT);
        assertTakenOverAfter(left);
        assertThat(others.confirm()).isTrue();
        assertThat(claim(RECLAIMED, OTHER))
                .isInstanceOfSatisfying(
                        NameClaim.Taken.class,
                        taken -> assertThat(taken.isPending()).isFalse());
    }
}
