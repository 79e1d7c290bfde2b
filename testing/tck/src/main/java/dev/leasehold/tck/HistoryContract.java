package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Fence;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What every history of a store must do, as tests that a store's own test class inherits. Say what to test in
 * {@link #storeUnderTest()}. A store that keeps no history does not inherit this.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class HistoryContract extends HistoryKeepingCases {
    private static final List<String> TEXTS = List.of(
            "'; DROP TABLE leasehold_history; --",
            "\\' OR ''='",
            "${x} :k ? {now} %s %n",
            "Case",
            "case",
            "Ünïcödé ﷽ 𝒳 👩‍👩‍👧 עברית \u202E",
            "trailing blank ",
            "\uFFFF\uFFFD|\u2028;,\"=\\n\\t\\");

    @Test
    @DisplayName("J01 An entry says all that was noted, and has a number and the store's time")
    final void entriesSayWhatWasNoted() {
        Key key = key();
        long before = storeMicros();
        append(HistoryNote.of(key, HistoryKind.FORCED)
                .withLease(Owner.of("host-7"), Fence.of(Fence.MAX_VALUE))
                .withReason("It hangs.")
                .withActor("ann"));
        long after = storeMicros();

        assertThat(read(HistoryRequest.of(key))).singleElement().satisfies(entry -> {
            assertThat(entry.number()).isPositive().isLessThanOrEqualTo(Fence.MAX_VALUE);
            assertThat(entry.atMicros()).isBetween(before - slackMicros(), after + slackMicros());
            assertThat(entry)
                    .isEqualTo(new HistoryEntry(
                            entry.number(),
                            entry.atMicros(),
                            key,
                            HistoryKind.FORCED,
                            Owner.of("host-7"),
                            Fence.of(Fence.MAX_VALUE),
                            "It hangs.",
                            "ann"));
        });
    }

    @Test
    @DisplayName("J01 What is not known stays unknown, and appending nothing adds nothing")
    final void unknownStaysUnknown() {
        Key key = key();
        append();
        append(HistoryNote.of(key, HistoryKind.SKIPPED));

        assertThat(read(HistoryRequest.of(key))).singleElement().satisfies(entry -> {
            assertThat(entry.owner()).isNull();
            assertThat(entry.fence()).isNull();
            assertThat(entry.reason()).isEmpty();
            assertThat(entry.actor()).isEmpty();
        });
    }

    @Test
    @DisplayName("J02 An entry's time is as long ago by the store's clock as its writer says")
    final void timeIsAsLongAgoAsSaid() {
        Key key = key();
        HistoryNote note = HistoryNote.of(key, HistoryKind.ACQUIRED);
        append(note.withAgo(Duration.ofHours(3)), note);

        List<HistoryEntry> entries = read(HistoryRequest.of(key).after(0));

        assertThat(entries.get(1).atMicros() - entries.get(0).atMicros())
                .isBetween(
                        Micros.of(Duration.ofHours(3)) - slackMicros(), Micros.of(Duration.ofHours(3)) + slackMicros());
    }

    @Test
    @DisplayName(
            "J03 Numbers grow; after one come the later ones, oldest first, and before it the earlier, newest first")
    final void numbersGrow() {
        Key key = key();
        appendEach(key, 7);

        List<HistoryEntry> all = read(HistoryRequest.of(key).after(0));

        assertThat(reasons(all)).containsExactly("0", "1", "2", "3", "4", "5", "6");
        assertThat(all).extracting(HistoryEntry::number).isSorted().doesNotHaveDuplicates();
        assertThat(reasons(read(HistoryRequest.of(key)))).containsExactly("6", "5", "4", "3", "2", "1", "0");
        long fourth = all.get(3).number();
        assertThat(reasons(read(HistoryRequest.of(key).after(fourth)))).containsExactly("4", "5", "6");
        assertThat(reasons(read(HistoryRequest.of(key).before(fourth)))).containsExactly("2", "1", "0");
        assertThat(read(HistoryRequest.of(key).after(all.get(6).number()))).isEmpty();
    }

    @Test
    @DisplayName("J03 Pages follow each other without gap or repetition, in both directions")
    final void pagesFollowEachOther() {
        Key key = key();
        Key other = key();
        for (int i = 0; i < 5; i++) {
            append(note(key, "" + i), note(other, "other"));
        }
        HistoryRequest two = HistoryRequest.of(key).withLimit(2);

        assertThat(reasons(pages(two.after(0), two::after))).containsExactly("0", "1", "2", "3", "4");
        assertThat(reasons(pages(two, two::before))).containsExactly("4", "3", "2", "1", "0");
    }

    private List<HistoryEntry> pages(HistoryRequest first, LongFunction<HistoryRequest> next) {
        List<HistoryEntry> all = new ArrayList<>();
        for (List<HistoryEntry> page = read(first); !page.isEmpty(); ) {
            assertThat(page).hasSizeLessThanOrEqualTo(2);
            all.addAll(page);
            page = read(next.apply(page.get(page.size() - 1).number()));
        }
        return all;
    }

    @Test
    @DisplayName("J04 A prefix is text and no pattern, and a key is that key alone")
    final void prefixIsText() {
        for (String name : List.of("a%b/1", "a%b/2", "a%B/3", "axb/4", "a%b", "a_b/5")) {
            append(note(key(name), name));
        }

        assertThat(reasons(read(HistoryRequest.of(prefix() + "a%b/").after(0)))).containsExactly("a%b/1", "a%b/2");
        assertThat(reasons(read(HistoryRequest.of(key("a%b"))))).containsExactly("a%b");
        assertThat(reasons(read(HistoryRequest.of(prefix() + "a_b")))).containsExactly("a_b/5");
        assertThat(read(HistoryRequest.of(prefix()))).hasSize(6);
    }

    @Test
    @DisplayName("J04 Without a prefix, entries of all keys come in one order")
    final void allKeysInOneOrder() {
        append(note(key(), "first"), note(key(), "second"));
        append(note(key(), "third"));

        assertThat(reasons(read(HistoryRequest.of("").withLimit(3)))).containsExactly("third", "second", "first");
    }

    @Test
    @DisplayName("J05 Kinds are picked by name, also one that nobody has heard of")
    final void kindsArePicked() {
        Key key = key();
        HistoryKind unheardOf = new HistoryKind("PAUSED for lunch ☕");
        append(note(key, "skip"), HistoryNote.of(key, unheardOf), HistoryNote.of(key, HistoryKind.LOST));

        assertThat(read(HistoryRequest.of(key).only(unheardOf, HistoryKind.LOST).after(0)))
                .extracting(HistoryEntry::kind)
                .containsExactly(unheardOf, HistoryKind.LOST);
        assertThat(read(HistoryRequest.of(key).only(HistoryKind.SETTLED))).isEmpty();
        assertThat(read(HistoryRequest.of(key))).hasSize(3);
    }

    @Test
    @DisplayName("J06 Any text is data, in key, owner, reason and actor")
    final void anyTextIsData() {
        for (String text : TEXTS) {
            Key key = key(text);
            append(HistoryNote.of(key, HistoryKind.FORCED)
                    .withLease(Owner.of(text), null)
                    .withReason(text + "\t\n\u0000\u0085\uD800")
                    .withActor(text));

            assertThat(read(HistoryRequest.of(key))).singleElement().satisfies(entry -> {
                assertThat(entry.key()).isEqualTo(key);
                assertThat(entry.owner()).isEqualTo(Owner.of(text));
                assertThat(entry.reason()).isEqualTo(text + "    \uFFFD");
                assertThat(entry.actor()).isEqualTo(text);
            });
        }
        assertThat(read(HistoryRequest.of(prefix()))).hasSize(TEXTS.size());
    }

    @Test
    @DisplayName("J06 The longest texts fit, and what is longer is cut")
    final void longestTextsFit() {
        Key key = key("👾".repeat(110));
        append(HistoryNote.of(key, new HistoryKind("k".repeat(HistoryKind.MAX_BYTES)))
                .withLease(Owner.of("o".repeat(Owner.MAX_BYTES)), null)
                .withReason("x".repeat(5_000))
                .withActor("👾".repeat(300)));

        assertThat(read(HistoryRequest.of(key))).singleElement().satisfies(entry -> {
            assertThat(entry.reason()).isEqualTo("x".repeat(HistoryNote.MAX_REASON_BYTES));
            assertThat(entry.actor()).isEqualTo("👾".repeat(HistoryNote.MAX_ACTOR_BYTES / 4));
        });
    }
}
