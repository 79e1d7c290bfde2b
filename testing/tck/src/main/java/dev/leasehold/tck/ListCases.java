package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lists: which records, in which order, page by page. */
abstract class ListCases extends KeyCases {
    /** All pages, one after the other. */
    private List<Key> walk(ListRequest request) {
        List<Key> keys = new ArrayList<>();
        Key after = request.after();
        do {
            Page page = store.list(request.after(after));
            assertThat(page.records()).hasSizeLessThanOrEqualTo(request.limit());
            page.records().forEach(snapshot -> keys.add(snapshot.key()));
            after = page.next();
        } while (after != null);
        return keys;
    }

    private List<Key> takeAll(List<String> names) {
        List<Key> keys = names.stream().map(this::key).toList();
        keys.forEach(this::take);
        return keys;
    }

    @Test
    @DisplayName("A10 Records are listed in the order of their keys' code points, on pages of any length")
    final void listIsInCodePointOrder() {
        List<Key> expected = takeAll(LOOKALIKES).stream().sorted().toList();

        for (int limit : new int[] {1, 7, LOOKALIKES.size(), ListRequest.MAX_LIMIT}) {
            assertThat(walk(ListRequest.of(prefix()).withLimit(limit))).isEqualTo(expected);
        }
    }

    @Test
    @DisplayName("A10 A prefix is taken to the letter: no pattern, no case, no accents")
    final void prefixIsLiteral() {
        List<Key> all = takeAll(LOOKALIKES);

        for (String name : LOOKALIKES) {
            String wanted = prefix() + name;
            List<Key> expected = all.stream()
                    .filter(key -> key.value().startsWith(wanted))
                    .sorted()
                    .toList();
            assertThat(walk(ListRequest.of(wanted))).as("prefix %s", wanted).isEqualTo(expected);
        }
        assertThat(walk(ListRequest.of(prefix() + "none such"))).isEmpty();
    }

    @Test
    @DisplayName("A10 A prefix may end with the last character before a gap in Unicode, or the last of all")
    final void prefixMayEndAnywhere() {
        for (String last : List.of("\uD7FF", "\uFFFF", "\uDBFF\uDFFF", "~", "\u00FF")) {
            List<Key> inside = takeAll(List.of(last, last + "a", last + "a\uDBFF\uDFFF"));

            assertThat(walk(ListRequest.of(prefix() + last)))
                    .containsExactlyElementsOf(inside.stream().sorted().toList());
        }
    }

    @Test
    @DisplayName("A10 The page after a key begins behind it, also if there is no such record")
    final void pageBeginsBehindAKey() {
        List<Key> keys = takeAll(List.of("a", "b", "d"));

        assertThat(walk(ListRequest.of(prefix()).after(key("b")))).containsExactly(key("d"));
        assertThat(walk(ListRequest.of(prefix()).after(key("c")))).containsExactly(key("d"));
        assertThat(walk(ListRequest.of(prefix()).after(key("d")))).isEmpty();
        assertThat(walk(ListRequest.of(prefix()).after(Key.of("!")))).isEqualTo(keys);
    }

    @Test
    @DisplayName("A10 Without a prefix everything is listed")
    final void emptyPrefixListsAll() {
        List<Key> keys = takeAll(List.of("a", "b"));

        assertThat(walk(ListRequest.of("").withLimit(ListRequest.MAX_LIMIT))).containsAll(keys);
        assertThat(walk(ListRequest.of("").withLimit(ListRequest.MAX_LIMIT).after(key("a"))))
                .doesNotContain(key("a"))
                .contains(key("b"));
    }

    @Test
    @DisplayName("A01 A list can ask for some states; what has expired counts as what it was")
    final void listByStates() throws Exception {
        release(take(key("free")));
        take(key("held"));
        settle(take(key("done")), Settlement.done(RESULT, LONG));
        settle(take(key("failed")), Settlement.failed(null, LONG));
        settle(take(key("hold")), Settlement.onHold(null));
        take(ask(key("expired"), brief()));
        elapse(brief());
        ListRequest all = ListRequest.of(prefix()).withLimit(2);

        assertThat(walk(all.only(State.FREE))).containsExactly(key("free"));
        assertThat(walk(all.only(State.HELD))).containsExactly(key("expired"), key("held"));
        assertThat(walk(all.only(State.DONE, State.FAILED, State.HOLD)))
                .containsExactly(key("done"), key("failed"), key("hold"));
        assertThat(walk(all)).hasSize(6);
    }

    @Test
    @DisplayName("A01 A list shows each record whole")
    final void listShowsRecordsWhole() {
        take(key("a"));
        standInLine(key("a"), LONG);
        settled(key("b"));

        List<LeaseRecord> listed = store.list(ListRequest.of(prefix())).records().stream()
                .map(LeaseSnapshot::record)
                .toList();

        assertThat(listed).containsExactly(record(key("a")), record(key("b")));
    }
}
