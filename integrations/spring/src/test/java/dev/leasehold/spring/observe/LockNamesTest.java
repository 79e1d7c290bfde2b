package dev.leasehold.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The names of locks")
class LockNamesTest {
    private final LockNames names = new LockNames(4);

    @Test
    @DisplayName("are templates and never keys; a key that fits none is other")
    void templates() {
        names.add("nightly");
        names.add("sync/*");
        names.add("POST /orders", "*/POST/%2Forders/*");
        assertThat(names.of(Key.of("nightly"))).isEqualTo("nightly");
        assertThat(names.of(Key.of("sync/food"))).isEqualTo("sync/*");
        assertThat(names.of(Key.of("ann/POST/%2Forders/17"))).isEqualTo("POST /orders");
        for (String other : List.of("nightly/1", "sync", "sync/a/b", "x", "ann/POST/%2Forders")) {
            assertThat(names.of(Key.of(other))).isEqualTo(LockNames.OTHER);
        }
    }

    @Test
    @DisplayName("are not more than allowed, and listeners hear of each once")
    void bounded() {
        List<String> heard = new ArrayList<>();
        names.add("before");
        names.onName(heard::add);
        for (int i = 0; i < 10; i++) {
            names.add("name" + i);
            names.add("name" + i);
        }
        assertThat(heard).containsExactly("other", "before", "name0", "name1", "name2");
        assertThat(names.of(Key.of("name2"))).isEqualTo("name2");
        assertThat(names.of(Key.of("name3"))).isEqualTo(LockNames.OTHER);
    }
}
