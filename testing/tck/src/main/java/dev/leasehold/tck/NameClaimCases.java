package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.Name;
import dev.leasehold.once.NameChange;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreUnavailableException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One name, claimed by several. */
abstract class NameClaimCases extends NamesFixture {
    @Test
    @DisplayName("K01 Two claim one name: one wins, the other learns who and for how long")
    final void loserLearnsWho() {
        Name name = title("My Castle");
        win(name, ANN);

        NameClaim.Taken taken = taken(elsewhere.claim(name, BOB, LONG));

        assertThat(taken.holder()).isEqualTo(ANN);
        assertThat(taken.isPending()).isTrue();
        assertThat(taken.remaining()).isPositive().isLessThanOrEqualTo(LONG);
    }

    @Test
    @DisplayName("K01 A confirmed name is its subject's for ever")
    final void confirmedNameStays() {
        Name name = title("My Castle");
        confirmed(name, ANN);

        NameClaim.Taken taken = taken(elsewhere.claim(name, BOB, LONG));

        assertThat(taken).isEqualTo(new NameClaim.Taken(name, ANN, false, Micros.FOREVER));
    }

    @Test
    @DisplayName("K01 Many claim one name at once: one wins, and all others are told the winner")
    final void oneOfManyWins() throws Exception {
        Name name = title("My Castle");
        List<NameClaim> claims = Race.of(
                traits().racers(),
                racer -> () -> (racer % 2 == 0 ? names : elsewhere).claim(name, Subject.of("racer-" + racer), LONG));

        List<Subject> winners = claims.stream()
                .filter(NameClaim.Won.class::isInstance)
                .map(claim -> won(claim).subject())
                .toList();
        assertThat(winners).hasSize(1);
        assertThat(claims.stream().filter(NameClaim.Taken.class::isInstance))
                .hasSize(traits().racers() - 1)
                .allSatisfy(claim -> assertThat(taken(claim).holder()).isEqualTo(winners.get(0)));
    }

    @Test
    @Tag("part-of:FINALIZE-6")
    @DisplayName("K01 The loser leaves no record of any kind")
    final void loserLeavesNothing() {
        confirmed(title("My Castle!"), ANN);
        var before = kept();

        taken(elsewhere.claim(title("my  castle"), BOB, LONG));

        assertThat(kept()).hasSize(1);
        assertThat(kept().get(0).record()).isEqualTo(before.get(0).record());
    }

    @Test
    @DisplayName("K01 A claim that nobody confirms lapses, and not before its time")
    final void pendingClaimLapses() throws Exception {
        Name name = title("My Castle");
        Fence first = won(names.claim(name, ANN, brief())).fence();
        assertThat(taken(elsewhere.claim(name, BOB, LONG)).isPending()).isTrue();

        elapse(brief());

        assertThat(names.find(name)).isEmpty();
        assertThat(won(elsewhere.claim(name, BOB, LONG)).fence()).isGreaterThan(first);
    }

    @Test
    @DisplayName("K01 A name that was abandoned is free at once, also to the same subject")
    final void abandonedNameIsFree() {
        Name name = title("My Castle");
        assertThat(win(name, ANN).abandon()).isTrue();
        assertThat(names.find(name)).isEmpty();

        NameClaim.Won again = win(name, ANN);
        assertThat(again.abandon()).isTrue();

        assertThat(won(elsewhere.claim(name, BOB, LONG)).fence()).isGreaterThan(again.fence());
    }

    @Test
    @DisplayName("K02 The same subject claims a pending name again, from anywhere, and gets the same claim")
    final void samePendingClaimAgain() {
        Name name = title("My Castle");
        NameClaim.Won first = win(name, ANN);

        NameClaim.Won again = won(elsewhere.claim(name, ANN, LONG));

        assertThat(again.fence()).isEqualTo(first.fence());
        assertThat(again.isConfirmed()).isFalse();
        assertThat(again.confirm()).isTrue();
        assertThat(first.confirm()).isTrue();
        assertThat(holder(name)).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K02 Claiming again gives the claim its whole pending time again")
    final void claimingAgainExtends() throws Exception {
        Name name = title("My Castle");
        won(names.claim(name, ANN, brief()));
        elapse(brief().dividedBy(2));
        won(names.claim(name, ANN, brief()));
        elapse(brief().multipliedBy(3).dividedBy(4));

        assertThat(taken(elsewhere.claim(name, BOB, LONG)).holder()).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K02 The same subject claims a confirmed name again, and nothing changes")
    final void sameConfirmedClaimAgain() {
        Name name = title("My Castle");
        NameClaim.Won first = confirmed(name, ANN);

        NameClaim.Won again = won(elsewhere.claim(name, ANN, LONG));

        assertThat(again.isConfirmed()).isTrue();
        assertThat(again.fence()).isEqualTo(first.fence());
        assertThat(again.confirm()).isTrue();
    }

    @Test
    @DisplayName("K02 A claim whose reply is lost is asked for again and is one claim")
    final void lostReplyIsOneClaim() {
        Name name = title("My Castle");
        FaultyStore faulty = FaultyStore.inRealTime(store)
                .next(FaultyStore.Verb.ACQUIRE, new FaultyStore.Fault.LostReply())
                .next(FaultyStore.Verb.SETTLE, new FaultyStore.Fault.LostReply());

        NameClaim.Won claim = won(on(faulty).claim(name, ANN, LONG));

        assertThat(claim.confirm()).isTrue();
        assertThat(faulty.struck()).hasSize(2);
        assertThat(holder(name)).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K02 A store that does not answer is an error, and claiming again as the same subject is safe")
    final void noAnswerIsAnError() {
        Name name = title("My Castle");
        FaultyStore faulty =
                FaultyStore.inRealTime(store).always(FaultyStore.Verb.ACQUIRE, new FaultyStore.Fault.LostReply());
        UniqueNames broken = on(faulty);
        assertThatThrownBy(() -> broken.claim(name, ANN, LONG)).isInstanceOf(StoreUnavailableException.class);
        faulty.heal();

        assertThat(won(broken.claim(name, ANN, LONG)).confirm()).isTrue();
    }

    @Test
    @DisplayName("K03 Another subject's release is refused, and told whose the name is")
    final void foreignReleaseIsRefused() {
        Name pending = title("Pending");
        Name confirmed = title("Confirmed");
        win(pending, ANN);
        confirmed(confirmed, ANN);

        assertThat(elsewhere.release(pending, BOB)).isEqualTo(new NameChange.NotHeld(ANN));
        assertThat(elsewhere.release(confirmed, BOB)).isEqualTo(new NameChange.NotHeld(ANN));
        assertThat(elsewhere.release(title("Nobody's"), BOB)).isEqualTo(new NameChange.NotHeld(null));
        assertThat(holder(pending)).isEqualTo(ANN);
        assertThat(holder(confirmed)).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K03 The subject's own release frees the name, pending or confirmed, with a larger fence for the next")
    final void ownReleaseFrees() {
        for (Name name : List.of(title("Pending"), title("Confirmed"))) {
            NameClaim.Won claim = win(name, ANN);
            if (name.text().equals("Confirmed")) {
                claim.confirm();
            }

            assertThat(elsewhere.release(name, ANN).isChanged()).isTrue();

            assertThat(names.find(name)).isEmpty();
            assertThat(confirmed(name, BOB).fence()).isGreaterThan(claim.fence());
            assertThat(names.release(name, ANN)).isEqualTo(new NameChange.NotHeld(BOB));
        }
    }

    @Test
    @DisplayName("K03 A claimant that wakes after its claim lapsed can neither confirm nor abandon its successor's")
    final void lateClaimantChangesNothing() throws Exception {
        Name name = title("My Castle");
        NameClaim.Won late = won(names.claim(name, ANN, brief()));
        elapse(brief());
        won(elsewhere.claim(name, BOB, LONG));

        assertThat(late.confirm()).isFalse();
        assertThat(late.abandon()).isFalse();
        assertThat(names.release(name, ANN)).isEqualTo(new NameChange.NotHeld(BOB));
        assertThat(holder(name)).isEqualTo(BOB);
    }

    @Test
    @DisplayName("K03 A confirmed name cannot be abandoned, so that a repeated request does not free a name in use")
    final void confirmedNameIsNotAbandoned() {
        Name name = title("My Castle");
        NameClaim.Won first = confirmed(name, ANN);

        assertThat(first.abandon()).isFalse();
        assertThat(win(name, ANN).abandon()).isFalse();
        assertThat(holder(name)).isEqualTo(ANN);
    }

    @Test
    @Tag("part-of:FINALIZE-6")
    @DisplayName("K06 Texts that are equal after slugging are one name")
    final void policyComesBeforeComparison() {
        confirmed(title("My Castle!"), ANN);

        for (String same : List.of("my  castle", "MY-CASTLE", "Mÿ Cästle", "My\u00A0Castle", "Ｍｙ Castle")) {
            assertThat(taken(elsewhere.claim(title(same), BOB, LONG)).holder())
                    .as(same)
                    .isEqualTo(ANN);
        }
        win(title("My Castles"), BOB);
        win(title("食事"), BOB);
        win(title("口腔ケア"), CAT);
    }

    @Test
    @DisplayName("K06 The same text under another policy or in another scope is another name")
    final void policiesAndScopesAreApart() {
        Key scope = key("titles");
        win(Name.of(scope, "my-castle", NamePolicy.slug()), ANN);

        win(Name.of(scope, "my-castle", NamePolicy.exact()), BOB);
        win(Name.of(scope, "my-castle", NamePolicy.named("slug-2", text -> text)), CAT);
        win(Name.of(key("other titles"), "my-castle", NamePolicy.slug()), BOB);
    }
}
