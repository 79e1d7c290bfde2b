package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.nonce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Tenure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordTextTest {
    private static final Nonce HOLDER = nonce();
    private static final Nonce WAITER = nonce();

    static Stream<LeaseRecord> records() {
        Fence fence = Fence.of(1_700_000_000_123_456L);
        Progress nothing = Progress.NONE;
        Progress much = new Progress(
                7,
                false,
                "sha256:crc32c=",
                new Predecessor(Owner.of("lease=x, state=y"), Fence.of(5)),
                Payload.of(new byte[] {0, 10, 13, -1}));
        Tenure named = new Tenure(HOLDER, Owner.of(" ünï \u2028 \uD83D\uDE80 "), 30_000_000, 1_700_000_000_123_456L);
        Tenure unnamed = new Tenure(HOLDER, null, 1, 0, Integer.MAX_VALUE);
        List<Place> line = List.of(
                new Place(WAITER, Owner.of("w=1"), 1, null, 2, 3),
                new Place(nonce(), Owner.of("until=never"), 9_007_199_254_740_991L, "f", -4, 8_000_000_000_000_000L));
        return Stream.of(
                new LeaseRecord(KEY, fence, State.HELD, named, null, 1_700_000_030_123_456L, 0, nothing, List.of()),
                new LeaseRecord(KEY, fence, State.HELD, unnamed, nonce(), 1, 0, much, line),
                new LeaseRecord(KEY, fence, State.FREE, null, nonce(), 5_000_000, 5_000_000, nothing, List.of()),
                new LeaseRecord(KEY, fence, State.DONE, named, null, 8_000_000_000_000_000L, 0, much, List.of()),
                new LeaseRecord(
                        Key.of("crc32c=0"),
                        Fence.of(Fence.MAX_VALUE),
                        State.HOLD,
                        named,
                        null,
                        0,
                        0,
                        new Progress(0, true, null, new Predecessor(null, Fence.of(1)), Payload.of("")),
                        List.of()));
    }

    @ParameterizedTest
    @MethodSource("records")
    void recordIsReadAsItWasWritten(LeaseRecord record) {
        ProcessMark mark = new ProcessMark("boot", "1.2", 42, 99);
        Version first = Version.first(record, Map.of(HOLDER, mark, WAITER, mark, nonce(), mark));
        Version next = first.next(record, first.processes());
        for (Version version : List.of(first, next, next.last())) {
            assertThat(Version.parse(Path.of("x"), version.toBytes())).isEqualTo(version);
        }
        assertThat(next.follows(first)).isTrue();
        assertThat(first.processes().keySet()).isSubsetOf(HOLDER, WAITER);
    }

    @ParameterizedTest
    @MethodSource("records")
    @DisplayName("X06 Text with a right checksum and wrong lines is refused as unreadable, or read; nothing else")
    void wrongLinesAreUnreadable(LeaseRecord record) {
        ProcessMark mark = new ProcessMark("boot", "1.2", 42, 99);
        Version version = Version.first(record, Map.of(HOLDER, mark)).next(record, Map.of(HOLDER, mark));
        List<String> lines =
                new String(version.toBytes(), StandardCharsets.UTF_8).lines().toList();
        for (int i = 0; i < lines.size() - 1; i++) {
            String name = lines.get(i).substring(0, lines.get(i).indexOf('=') + 1);
            for (String wrong : new String[] {"", name, name + "-1", name + "x", name + "9".repeat(30), "other=1"}) {
                List<String> changed = new ArrayList<>(lines.subList(0, lines.size() - 1));
                changed.set(i, wrong);
                byte[] bytes = withChecksum(changed);
                assertThatCode(() -> Version.parse(Path.of("x"), bytes))
                        .satisfiesAnyOf(
                                thrown -> assertThat(thrown).isNull(),
                                thrown -> assertThat(thrown).isExactlyInstanceOf(StoreException.class));
            }
        }
    }

    private static byte[] withChecksum(List<String> lines) {
        byte[] body = (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
        CRC32C sum = new CRC32C();
        sum.update(body);
        String last = "crc32c=" + Long.toHexString(sum.getValue()) + "\n";
        return (new String(body, StandardCharsets.UTF_8) + last).getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("records")
    void peopleCanReadIt(LeaseRecord record) {
        String text =
                new String(LockContent.of(record, new FileTime("boot", 1, 2)).toBytes(), StandardCharsets.UTF_8);
        assertThat(text)
                .startsWith("leasehold lock 1\n")
                .contains("key=" + record.key() + "\n")
                .contains("state=" + record.state() + "\n")
                .containsPattern("expires=\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z\n");
    }
}
