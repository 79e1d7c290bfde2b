package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.Name;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NameClaims;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What unique names do on a store, as tests that a store's own test class inherits: claims, changes of hands, several
 * names at once, and races.
 *
 * <p>{@link LeaseStoreContract} comes first: names are made of the same six verbs. No case can be replaced or left out.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class UniqueNamesContract extends NameChangeCases {
    private List<Name> titles(int count) {
        return IntStream.range(0, count).mapToObj(i -> title("Castle " + i)).toList();
    }

    @Test
    @DisplayName("K04 Ten names, one of them taken: none is won, and the loser learns which and by whom")
    final void allOrNothing() {
        List<Name> titles = titles(10);
        confirmed(titles.get(6), BOB);

        NameClaims claims = elsewhere.claimAll(titles, ANN, LONG);

        assertThat(claims).isInstanceOfSatisfying(NameClaims.OneTaken.class, lost -> {
            assertThat(lost.taken().name()).isEqualTo(titles.get(6));
            assertThat(lost.taken().holder()).isEqualTo(BOB);
        });
        assertThat(kept()).hasSize(1);
    }

    @Test
    @DisplayName("K04 Ten free names are won together, confirmed together, and abandoned together")
    final void allAreWon() {
        List<Name> titles = titles(10);
        assertThat(names.claimAll(titles, ANN, LONG))
                .isInstanceOfSatisfying(NameClaims.AllWon.class, NameClaims.AllWon::abandon);
        assertThat(kept()).isEmpty();

        assertThat(names.claimAll(titles, BOB, LONG)).isInstanceOfSatisfying(NameClaims.AllWon.class, won -> {
            assertThat(won.claims()).hasSize(10);
            assertThat(won.confirm()).isTrue();
        });

        assertThat(titles).allSatisfy(name -> assertThat(holder(name)).isEqualTo(BOB));
    }

    @Test
    @DisplayName("K04 Giving back takes nothing that the subject had before")
    final void earlierClaimsStay() {
        List<Name> titles = titles(3);
        win(titles.get(0), ANN);
        confirmed(titles.get(1), ANN);
        confirmed(titles.get(2), BOB);

        assertThat(names.claimAll(titles, ANN, LONG)).isInstanceOf(NameClaims.OneTaken.class);

        assertThat(holder(titles.get(0))).isEqualTo(ANN);
        assertThat(holder(titles.get(1))).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K04 If one has lapsed and been taken, none is confirmed")
    final void noneIsConfirmedIfOneLapsed() throws Exception {
        List<Name> titles = titles(3);
        NameClaims claims = names.claimAll(titles, ANN, brief());
        elapse(brief());
        confirmed(titles.get(1), BOB);

        assertThat(claims)
                .isInstanceOfSatisfying(
                        NameClaims.AllWon.class,
                        won -> assertThat(won.confirm()).isFalse());

        assertThat(holder(titles.get(1))).isEqualTo(BOB);
        assertThat(kept()).hasSize(1);
    }

    @Test
    @DisplayName("K04 A confirmation that the store cut short can be asked for again, as often as one likes")
    final void confirmedAgain() {
        List<Name> titles = titles(3);
        NameClaims.AllWon won = halfConfirmed(titles, LONG);

        assertThat(won.confirm()).isTrue();
        assertThat(won.confirm()).isTrue();

        assertThat(titles).allSatisfy(name -> assertThat(holder(name)).isEqualTo(ANN));
    }

    @Test
    @DisplayName("K04 If the store cut a confirmation short and one has lapsed since, what was confirmed is given back")
    final void halfConfirmedIsGivenBack() throws Exception {
        List<Name> titles = titles(3);
        NameClaims.AllWon won = halfConfirmed(titles, brief());
        elapse(brief());
        confirmed(titles.get(1), BOB);

        assertThat(won.confirm()).isFalse();

        assertThat(names.find(titles.get(0))).isEmpty();
        assertThat(holder(titles.get(1))).isEqualTo(BOB);
        assertThat(names.find(titles.get(2))).isEmpty();
    }

    /** Confirms the first name; then the store does not answer until the caller gives up. */
    private NameClaims.AllWon halfConfirmed(List<Name> titles, Duration pending) {
        FaultyStore faulty = FaultyStore.inRealTime(store);
        NameClaims.AllWon won = (NameClaims.AllWon) on(faulty).claimAll(titles, ANN, pending);
        faulty.next(FaultyStore.Verb.SETTLE, new FaultyStore.Fault.Duplicate())
                .always(FaultyStore.Verb.SETTLE, new FaultyStore.Fault.LostRequest());
        assertThatThrownBy(won::confirm).isInstanceOf(StoreUnavailableException.class);
        faulty.heal();
        return won;
    }

    @Test
    @DisplayName("K04 If the store fails on the way, what was got is given back")
    final void failureGivesBack() {
        List<Name> titles = titles(3);
        FaultyStore faulty =
                FaultyStore.inRealTime(store).always(titles.get(2).key(), new FaultyStore.Fault.LostRequest());
        UniqueNames broken = on(faulty);

        assertThatThrownBy(() -> broken.claimAll(titles, ANN, LONG)).isInstanceOf(StoreUnavailableException.class);

        assertThat(kept()).isEmpty();
    }

    @Test
    @DisplayName("K04 Two who want the same names in opposite order: one gets all of them")
    final void oppositeOrdersDoNotBlock() throws Exception {
        for (int round = 0; round < 10; round++) {
            Name one = title("One " + round);
            Name two = title("Two " + round);

            List<NameClaims> claims = Race.of(
                    2,
                    racer -> () -> racer == 0
                            ? names.claimAll(List.of(one, two), ANN, LONG)
                            : elsewhere.claimAll(List.of(two, one), BOB, LONG));

            assertThat(claims.stream().filter(NameClaims.AllWon.class::isInstance))
                    .hasSize(1);
            assertThat(holder(one)).isEqualTo(holder(two));
        }
    }

    @Test
    @DisplayName("K07 Purge frees no name: pending, confirmed or transferred")
    final void purgeFreesNothing() throws Exception {
        Name pending = title("Pending");
        Name confirmed = title("Confirmed");
        Name transferred = title("Transferred");
        win(pending, ANN);
        confirmed(confirmed, ANN);
        confirmed(transferred, ANN);
        names.transfer(transferred, ANN, BOB);
        letATickPass();

        store.purge(Duration.ZERO, Integer.MAX_VALUE);

        assertThat(holder(pending)).isEqualTo(ANN);
        assertThat(holder(confirmed)).isEqualTo(ANN);
        assertThat(holder(transferred)).isEqualTo(BOB);
        if (!isTimeReal()) {
            elapse(Duration.ofDays(2_000));
            store.purge(Duration.ZERO, Integer.MAX_VALUE);
            assertThat(names.find(pending)).isEmpty();
            assertThat(holder(confirmed)).isEqualTo(ANN);
            assertThat(holder(transferred)).isEqualTo(BOB);
        }
    }

    @Test
    @DisplayName("K08 Racers for a few names: each name has one winner, and the counts are exact")
    final void countsAreExact() throws Exception {
        race(8, 25);
    }

    @Test
    @Tag("slow")
    @DisplayName("K08 64 racers for 1000 names: each name has one winner, and the counts are exact")
    final void countsAreExactForMany() throws Exception {
        race(64, 1_000);
    }

    /** Each racer goes for all names, beginning at another one, and confirms what it wins. */
    private void race(int racers, int count) throws Exception {
        List<Name> titles = titles(count);
        List<List<Name>> won = Race.of(racers, racer -> () -> {
            UniqueNames mine = racer % 2 == 0 ? names : elsewhere;
            List<Name> own = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Name name = titles.get((i + racer * count / racers) % count);
                if (mine.claim(name, Subject.of("racer-" + racer), LONG) instanceof NameClaim.Won claim) {
                    assertThat(claim.confirm()).isTrue();
                    own.add(name);
                }
            }
            return own;
        });

        assertThat(won.stream().mapToInt(List::size).sum()).isEqualTo(count);
        for (int racer = 0; racer < racers; racer++) {
            for (Name name : won.get(racer)) {
                assertThat(holder(name)).isEqualTo(Subject.of("racer-" + racer));
            }
        }
        assertThat(kept()).hasSize(count);
    }
}
