package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That keys are told apart to the code point, whatever they are made of. */
abstract class KeyCases extends PayloadCases {
    /** Each is the same as another one of them to somebody: a collation, a file system, a pattern, a shell. */
    static final List<String> LOOKALIKES = List.of(
            "key",
            "Key",
            "KEY",
            "key ",
            " key",
            "k ey",
            "key.",
            "key/",
            "/key",
            "k/ey",
            "key//",
            "kéy",
            "ke\u0301y",
            "kèy",
            "ｋｅｙ",
            "key\u00A0",
            "key\u200B",
            "key\u200D",
            "key\uFEFF",
            "key%",
            "k%",
            "%",
            "_ey",
            "k_y",
            "___",
            "k*",
            "k?y",
            "[k]ey",
            "key'",
            "key''",
            "key\"",
            "key\\",
            "key\\\\",
            "key`",
            "key;--",
            "key$",
            "${key}",
            "{key}",
            "key#",
            "key:",
            "key&key",
            "key+",
            "key%2F",
            "key%252F",
            "key,",
            "key|",
            "<key>",
            "straße",
            "strasse",
            "STRASSE",
            "I",
            "i",
            "ı",
            "İ",
            "i\u0307",
            "ß",
            "ss",
            "ﬁ",
            "fi",
            "Σ",
            "σ",
            "ς",
            "か",
            "カ",
            "ｶ",
            "が",
            "か\u3099",
            "食事",
            "한",
            "ᄒ\u1161\u11AB",
            "😀",
            "😁",
            "👩‍🚀",
            "👩",
            "\uD800\uDC00",
            "\uE000",
            "\uFFFD",
            "\uDBFF\uDFFF",
            "nul",
            "con",
            "null",
            "0",
            "00",
            "1e3",
            "...",
            ".key",
            "~",
            "-",
            "--",
            "א",
            "a\u202Eb");

    @Test
    @DisplayName("A10 Keys that only look alike are different keys")
    final void lookalikesAreDifferent() {
        Map<Key, LeaseRef> leases = new LinkedHashMap<>();
        for (String name : LOOKALIKES) {
            Key key = key(name);
            leases.put(key, take(key));
        }

        assertThat(leases).hasSize(LOOKALIKES.size());
        leases.forEach((key, lease) -> {
            assertThat(find(key).key()).isEqualTo(key);
            assertThat(record(key).ref()).isEqualTo(lease);
        });
        assertThat(store.renew(List.copyOf(leases.values()))).hasSize(leases.size());
        leases.values().forEach(lease -> assertThat(release(lease)).isEqualTo(ReleaseResult.RELEASED));
    }

    @Test
    @DisplayName("A10 The longest keys are told apart by their last character")
    final void longestKeysAreDifferent() {
        List<LeaseRef> leases = new ArrayList<>();
        for (String filler : List.of("x", "é", "食", "😀")) {
            for (char last : new char[] {'a', 'b'}) {
                leases.add(take(longest(filler, last)));
            }
        }

        leases.forEach(lease -> assertThat(record(lease.key()).ref()).isEqualTo(lease));
    }

    private Key longest(String filler, char last) {
        int room = Key.MAX_BYTES - prefix().length() - 1;
        int bytes = Key.of(filler).utf8().length;
        String text = filler.repeat(room / bytes) + "-".repeat(room % bytes) + last;
        assertThat(key(text).utf8()).hasSize(Key.MAX_BYTES);
        return key(text);
    }

    @Test
    @DisplayName("A10 Text that no store could keep is refused before it reaches one")
    final void malformedTextIsRefused() {
        for (String text : List.of(
                "",
                "a\u0000",
                "a\nb",
                "\u007F",
                "\u0085",
                "lone \uD83D",
                "\uDE00 lone",
                ".",
                "..",
                "a/../b",
                "x".repeat(10_000))) {
            assertThatThrownBy(() -> Key.of(text)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String text : List.of("", "a\u0000", "lone \uD83D", "x".repeat(Owner.MAX_BYTES + 1))) {
            assertThatThrownBy(() -> Owner.of(text)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> ask(key()).withFingerprint(text)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ListRequest.of("lone \uD83D")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("A10 Owners and fingerprints come back as they went in")
    final void ownersComeBackUnchanged() {
        List<String> texts = new ArrayList<>(LOOKALIKES);
        texts.add("😀".repeat(Owner.MAX_BYTES / 4));
        for (String text : texts) {
            Key key = key();
            take(AcquireRequest.of(key, nonce(), Owner.of(text), LONG).withFingerprint(text));
            AcquireRequest waiting = AcquireRequest.of(key, nonce(), Owner.of(text), LONG)
                    .withFingerprint(text)
                    .inLineFor(LONG);

            assertThat(held(store.acquire(waiting)).owner()).isEqualTo(Owner.of(text));

            LeaseSnapshot seen = find(key);
            assertThat(Objects.requireNonNull(seen.record().tenure()).owner()).isEqualTo(Owner.of(text));
            assertThat(seen.record().progress().fingerprint()).isEqualTo(text);
            assertThat(seen.record().line().get(0).owner()).isEqualTo(Owner.of(text));
            assertThat(seen.record().line().get(0).fingerprint()).isEqualTo(text);
        }
    }
}
