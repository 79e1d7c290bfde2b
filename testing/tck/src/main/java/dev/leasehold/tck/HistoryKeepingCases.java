package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long a history lasts, and what those see who follow it while others write. */
abstract class HistoryKeepingCases extends HistoryFixture {
    private static final int WRITERS = 4;
    private static final int APPENDS = 40;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    @DisplayName("J07 What is older than asked is forgotten, what is younger stays, and numbers go on growing")
    final void oldEntriesAreForgotten() throws Exception {
        Key key = key();
        append(note(key, "old").withAgo(Duration.ofDays(9)), note(key, "older").withAgo(Duration.ofDays(10)));
        endOfFile();
        append(note(key, "young"));
        long last = read(HistoryRequest.of(key)).get(0).number();

        assertThat(history(store).forget(Duration.ofDays(8), Integer.MAX_VALUE)).isGreaterThanOrEqualTo(2);

        assertThat(reasons(read(HistoryRequest.of(key)))).containsExactly("young");
        append(note(key, "next"));
        assertThat(read(HistoryRequest.of(key).after(last))).hasSize(1);
        assertThat(history(store).forget(Duration.ofDays(8), Integer.MAX_VALUE)).isZero();
    }

    @Test
    @DisplayName("J07 When everything is forgotten, numbers go on growing all the same, also for whoever comes later")
    final void numbersGrowAfterAllIsForgotten() throws Exception {
        Key key = key();
        append(note(key, "old").withAgo(Duration.ofDays(9)));
        long last = read(HistoryRequest.of(key)).get(0).number();
        history(store).forget(Duration.ofDays(8), Integer.MAX_VALUE);
        assertThat(read(HistoryRequest.of(key))).isEmpty();
        if (traits().isKept()) {
            reopenAfter(data -> {});
        }

        append(note(key, "new"));

        assertThat(reasons(read(HistoryRequest.of(key).after(last)))).containsExactly("new");
    }

    @Test
    @DisplayName("J07 No more are forgotten at once than asked, but for the rest of a file")
    final void forgettingHasALimit() throws Exception {
        history(store).forget(Duration.ofDays(8), Integer.MAX_VALUE);
        for (int i = 0; i < 5; i++) {
            append(note(key(), "" + i).withAgo(Duration.ofDays(9)));
            endOfFile();
        }

        assertThat(history(store).forget(Duration.ofDays(8), 2)).isEqualTo(2);

        assertThat(read(HistoryRequest.of(prefix()))).hasSize(3);
    }

    /** For stores that forget whole files: what comes next stands in another. Others have nothing to do. */
    protected void endOfFile() throws Exception {}

    @Test
    @DisplayName("J08 Entries outlive the store object, and are the same to all who open the store")
    final void entriesAreKept() throws Exception {
        Key key = key();
        append(note(key, "first"));
        history(another()).append(List.of(note(key, "second")));
        assertThat(reasons(read(HistoryRequest.of(key).after(0)))).containsExactly("first", "second");
        if (traits().isKept()) {
            reopenAfter(data -> {});
            assertThat(reasons(read(HistoryRequest.of(key).after(0)))).containsExactly("first", "second");
        }
    }

    @Test
    @DisplayName("J09 Whoever follows several writers misses no entry, and sees each append whole and in order")
    final void followerMissesNothing() throws Exception {
        Key key = key();
        List<LeaseStore> writers = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            writers.add(another());
        }

        List<List<String>> results = Race.of(
                WRITERS + 1, racer -> () -> racer == WRITERS ? follow(key) : write(writers.get(racer), key, racer));

        List<String> seen = results.get(WRITERS);
        for (int writer = 0; writer < WRITERS; writer++) {
            String mine = writer + "/";
            assertThat(seen).filteredOn(reason -> reason.startsWith(mine)).isEqualTo(results.get(writer));
        }
        for (int i = 0; i < seen.size(); i += 2) {
            assertThat(seen.get(i + 1)).isEqualTo(seen.get(i).replace("first", "second"));
        }
    }

    private static List<String> write(LeaseStore store, Key key, int writer) {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < APPENDS; i++) {
            List<String> two = List.of(writer + "/" + i + " first", writer + "/" + i + " second");
            history(store).append(two.stream().map(words -> note(key, words)).toList());
            written.addAll(two);
        }
        return written;
    }

    private List<String> follow(Key key) {
        List<String> seen = new ArrayList<>();
        long last = 0;
        long end = System.nanoTime() + LIMIT.toNanos();
        while (seen.size() < WRITERS * APPENDS * 2 && System.nanoTime() - end < 0) {
            for (HistoryEntry entry : read(HistoryRequest.of(key).after(last).withLimit(7))) {
                assertThat(entry.number()).isGreaterThan(last);
                last = entry.number();
                seen.add(entry.reason());
            }
            LockSupport.parkNanos(200_000);
        }
        return seen;
    }
}
