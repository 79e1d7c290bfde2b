package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Nonce;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a store remembers of leases on documents")
class DocumentMemoryTest {
    private static final Nonce NONCE = new Nonce(1, 2);

    private final DocumentMemory memory = new DocumentMemory();

    private void willWrite(long expiry) {
        memory.perhaps(NONCE, Fence.of(7), "worker", 30_000_000, null, expiry);
    }

    @Test
    @DisplayName("has the expiry that the document is known to have, however many renewals failed since")
    void confirmedExpiryStays() {
        willWrite(1);
        memory.confirm(NONCE, 1);
        for (long expiry = 2; expiry <= 40; expiry++) {
            willWrite(expiry);
        }
        assertThat(memory.find(NONCE).orElseThrow().stamps()).hasSize(8).contains(1L, 34L, 40L);
    }

    @Test
    @DisplayName("drops the oldest expiry once a later one is confirmed")
    void olderExpiryIsDropped() {
        willWrite(1);
        memory.confirm(NONCE, 1);
        willWrite(2);
        memory.confirm(NONCE, 2);
        for (long expiry = 3; expiry <= 40; expiry++) {
            willWrite(expiry);
        }
        assertThat(memory.find(NONCE).orElseThrow().stamps())
                .hasSize(8)
                .contains(2L)
                .doesNotContain(1L);
    }
}
