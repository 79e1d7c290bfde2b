package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.Name;
import dev.leasehold.once.NameChange;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Names that change hands. */
abstract class NameChangeCases extends NameClaimCases {
    @Test
    @DisplayName("K05 A transferred name is the new subject's and no longer the old one's")
    final void transferChangesHands() {
        Name name = title("My Castle");
        confirmed(name, ANN);

        assertThat(elsewhere.transfer(name, ANN, BOB).isChanged()).isTrue();

        assertThat(taken(names.claim(name, ANN, LONG)).holder()).isEqualTo(BOB);
        assertThat(win(name, BOB).isConfirmed()).isTrue();
        assertThat(win(name, BOB).confirm()).isTrue();
        assertThat(names.release(name, ANN)).isEqualTo(new NameChange.NotHeld(BOB));
        assertThat(names.transfer(name, ANN, CAT)).isEqualTo(new NameChange.NotHeld(BOB));
        assertThat(names.transfer(name, ANN, BOB).isChanged()).as("asked again").isTrue();
    }

    @Test
    @DisplayName("K05 An old claim cannot be confirmed again once its name is another subject's")
    final void oldClaimOfATransferredName() {
        Name name = title("My Castle");
        NameClaim.Won first = confirmed(name, ANN);
        NameClaim.Won again = win(name, ANN);
        names.transfer(name, ANN, BOB);
        NameClaim.Won next = win(name, BOB);
        assertThat(first.confirm()).isFalse();
        assertThat(again.confirm()).isFalse();
        assertThat(next.confirm()).isTrue();

        names.transfer(name, BOB, CAT);

        assertThat(next.confirm()).isFalse();
        assertThat(first.confirm()).isFalse();
        assertThat(holder(name)).isEqualTo(CAT);
    }

    @Test
    @DisplayName("K05 A name can be transferred again and back, and then released")
    final void transferredAgain() {
        Name name = title("My Castle");
        confirmed(name, ANN);
        assertThat(names.transfer(name, ANN, BOB).isChanged()).isTrue();
        assertThat(elsewhere.transfer(name, BOB, CAT).isChanged()).isTrue();
        assertThat(names.transfer(name, CAT, ANN).isChanged()).isTrue();
        assertThat(holder(name)).isEqualTo(ANN);

        assertThat(elsewhere.release(name, ANN).isChanged()).isTrue();

        assertThat(names.find(name)).isEmpty();
        confirmed(name, CAT);
        assertThat(holder(name)).isEqualTo(CAT);
    }

    @Test
    @DisplayName("K05 A pending claim is not transferred")
    final void pendingClaimIsNotTransferred() {
        Name name = title("My Castle");
        win(name, ANN);

        assertThat(names.transfer(name, ANN, BOB)).isInstanceOf(NameChange.Busy.class);
        assertThat(names.transfer(name, BOB, CAT)).isEqualTo(new NameChange.NotHeld(ANN));
        assertThat(holder(name)).isEqualTo(ANN);
    }

    @Test
    @DisplayName("K05 Of several who change a name at once, one does: never two, and it ends with that one's subject")
    final void oneOfManyChangesSucceeds() throws Exception {
        for (int round = 0; round < 10; round++) {
            Name name = title("My Castle " + round);
            confirmed(name, ANN);

            List<NameChange> changes = Race.of(8, racer -> () -> {
                UniqueNames mine = racer % 2 == 0 ? names : elsewhere;
                return racer == 0 ? mine.release(name, ANN) : mine.transfer(name, ANN, Subject.of("racer-" + racer));
            });

            List<Integer> winners = new ArrayList<>();
            for (int racer = 0; racer < changes.size(); racer++) {
                if (changes.get(racer).isChanged()) {
                    winners.add(racer);
                }
            }
            assertThat(winners).as("%s", changes).hasSize(1);
            if (winners.get(0) == 0) {
                assertThat(names.find(name)).isEmpty();
            } else {
                assertThat(holder(name)).isEqualTo(Subject.of("racer-" + winners.get(0)));
            }
        }
    }

    @Test
    @DisplayName("K05 While a name changes hands it is never free")
    final void neverFreeDuringTransfer() throws Exception {
        Name name = title("My Castle");
        confirmed(name, ANN);
        int changes = 40;

        List<Integer> results = Race.of(3, racer -> () -> {
            int count = 0;
            for (int i = 0; i < changes; i++) {
                if (racer == 0) {
                    NameChange change = i % 2 == 0 ? names.transfer(name, ANN, BOB) : names.transfer(name, BOB, ANN);
                    count += change.isChanged() ? 1 : 0;
                } else {
                    Subject holder = taken(elsewhere.claim(name, CAT, LONG)).holder();
                    count += holder.equals(ANN) || holder.equals(BOB) ? 1 : 0;
                }
            }
            return count;
        });

        assertThat(results).containsExactly(changes, changes, changes);
    }

    @Test
    @DisplayName("K05 One who was cut off in the middle of a change and wakes later changes nothing")
    final void lateChangeChangesNothing() throws Exception {
        Name name = title("My Castle");
        confirmed(name, ANN);
        FaultyStore faulty =
                FaultyStore.inRealTime(store).always(FaultyStore.Verb.SETTLE, new FaultyStore.Fault.LateRequest());
        UniqueNames paused = on(faulty);
        assertThatThrownBy(() -> paused.transfer(name, ANN, BOB)).isInstanceOf(StoreUnavailableException.class);
        assertThat(names.transfer(name, ANN, CAT)).isInstanceOf(NameChange.Busy.class);
        assertThat(holder(name)).isEqualTo(ANN);

        elapse(Duration.ofSeconds(5));
        assertThat(names.transfer(name, ANN, CAT).isChanged()).isTrue();
        faulty.deliverLate();

        assertThat(holder(name)).isEqualTo(CAT);
    }

    @Test
    @DisplayName(
            "K05 One who is overtaken in the middle of a change is told that nothing changed, and whose the name is")
    final void overtakenChangeIsTold() {
        Name name = title("My Castle");
        confirmed(name, ANN);
        LeaseStore overtaken = beforeSettling(() -> {
            elapse(Duration.ofSeconds(5));
            assertThat(names.transfer(name, ANN, CAT).isChanged()).isTrue();
        });

        assertThat(on(overtaken).transfer(name, ANN, BOB)).isEqualTo(new NameChange.NotHeld(CAT));
        assertThat(holder(name)).isEqualTo(CAT);
    }

    /** The store, but something happens each time before it is asked to settle. */
    private LeaseStore beforeSettling(Executable event) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("settle")) {
                        event.execute();
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    @DisplayName("K05 A release that was cut off before its last step is finished by whoever claims next")
    final void halfReleaseIsFinished() {
        Name name = title("My Castle");
        confirmed(name, ANN);
        FaultyStore faulty =
                FaultyStore.inRealTime(store).always(FaultyStore.Verb.RELEASE, new FaultyStore.Fault.LateRequest());
        UniqueNames broken = on(faulty);
        assertThatThrownBy(() -> broken.release(name, ANN)).isInstanceOf(StoreUnavailableException.class);
        assertThat(names.find(name)).isEmpty();

        confirmed(name, BOB);
        faulty.deliverLate();

        assertThat(holder(name)).isEqualTo(BOB);
    }

    @Test
    @DisplayName("K05 A rename frees the old name only once the new one is confirmed")
    final void renameFreesTheOldNameLast() {
        Name old = title("My Castle");
        Name name = title("Our Castle");
        confirmed(old, ANN);

        NameClaim.Won claim = won(names.rename(old, name, ANN, LONG));

        assertThat(holder(old)).isEqualTo(ANN);
        assertThat(holder(name)).isEqualTo(ANN);
        assertThat(claim.confirm()).isTrue();
        assertThat(names.find(old)).isEmpty();
        assertThat(holder(name)).isEqualTo(ANN);
        assertThat(claim.confirm()).as("asked again").isTrue();
    }

    @Test
    @DisplayName("K05 A rename that is refused or abandoned leaves the old name as it was")
    final void failedRenameChangesNothing() {
        Name old = title("My Castle");
        confirmed(old, ANN);
        confirmed(title("Taken"), BOB);

        assertThat(taken(names.rename(old, title("Taken"), ANN, LONG)).holder()).isEqualTo(BOB);
        assertThat(won(names.rename(old, title("Free"), ANN, LONG)).abandon()).isTrue();

        assertThat(holder(old)).isEqualTo(ANN);
        assertThat(names.find(title("Free"))).isEmpty();
    }

    @Test
    @DisplayName("K05 A rename to the same name under the policy, or of somebody else's, frees nothing")
    final void renameToTheSameName() {
        Name old = title("My Castle");
        confirmed(old, ANN);

        assertThat(won(names.rename(old, title("my castle!"), ANN, LONG)).confirm())
                .isTrue();
        assertThat(holder(old)).isEqualTo(ANN);

        assertThat(won(names.rename(old, title("Bob's"), BOB, LONG)).confirm()).isTrue();
        assertThat(holder(old)).isEqualTo(ANN);
    }
}
