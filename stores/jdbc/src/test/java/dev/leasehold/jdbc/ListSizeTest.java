package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.Payload;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.tck.Ask;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A page of records with large payloads")
class ListSizeTest {
    private static final int LARGE = 1 << 20;
    private static final int RECORDS = 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    @DisplayName("is cut after about 8 MiB, and the next one goes on where it ended")
    void isCut(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            List<Key> keys = new ArrayList<>();
            for (int i = 0; i < RECORDS; i++) {
                LeaseRef lease = Ask.take(store, Key.of("large/%02d".formatted(i)));
                keys.add(lease.key());
                Settlement large = Settlement.done(Payload.of("x".repeat(LARGE)), Ask.LONG);
                assertThat(store.settle(SettleRequest.of(lease, large))).isEqualTo(SettleResult.SETTLED);
            }
            ListRequest request = ListRequest.of("large/").withLimit(ListRequest.MAX_LIMIT);
            List<Key> listed = new ArrayList<>();
            int pages = 0;
            for (Page page = store.list(request); ; page = store.list(request.after(page.next()))) {
                pages++;
                assertThat(page.records()).hasSizeBetween(1, 9);
                page.records().stream().map(LeaseSnapshot::key).forEach(listed::add);
                if (page.next() == null) {
                    break;
                }
            }
            assertThat(listed).isEqualTo(keys);
            assertThat(pages).isEqualTo(3);
        }
    }
}
