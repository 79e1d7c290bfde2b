package dev.leasehold.file;

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
import dev.leasehold.store.Tenure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A record as lines of {@link StateText}. Times are written for people, exact to the microsecond. */
final class RecordText {
    private static final long MICROS_PER_SECOND = 1_000_000;

    private RecordText() {}

    static void write(StateText.Writer text, LeaseRecord record) {
        text.put("key", record.key()).put("fence", record.fence()).put("state", record.state());
        Tenure tenure = record.tenure();
        if (tenure != null) {
            text.put("lease", tenure.nonce())
                    .putIfAny("owner", tenure.owner())
                    .put("ttl-micros", tenure.ttlMicros())
                    .put("since", instant(tenure.sinceMicros()))
                    .putIfAny("checkpoint", tenure.checkpointNumber() == 0 ? null : tenure.checkpointNumber());
        }
        text.put("expires", instant(record.expiryMicros()))
                .put("cooldown-micros", record.cooldownMicros())
                .putIfAny("released", record.tombstone());
        write(text, record.progress());
        for (Place place : record.line()) {
            text.put("waits", place.nonce())
                    .put("owner", place.owner())
                    .put("ttl-micros", place.ttlMicros())
                    .putIfAny("fingerprint", place.fingerprint())
                    .put("since", instant(place.sinceMicros()))
                    .put("until", instant(place.untilMicros()));
        }
    }

    private static void write(StateText.Writer text, Progress progress) {
        text.put("attempts", progress.tally()).putIfAny("fingerprint", progress.fingerprint());
        Predecessor predecessor = progress.predecessor();
        if (predecessor != null) {
            text.put("taken-from", predecessor.fence()).putIfAny("owner", predecessor.owner());
        }
        Payload payload = progress.payload();
        if (payload != null) {
            text.put("payload", Base64.getEncoder().encodeToString(payload.bytes()));
        }
    }

    static LeaseRecord read(StateText.Reader text) {
        Key key = Key.of(text.take("key"));
        Fence fence = Fence.of(Long.parseLong(text.take("fence")));
        State state = State.valueOf(text.take("state"));
        Tenure tenure = null;
        String nonce = text.takeIfAny("lease");
        if (nonce != null) {
            tenure = new Tenure(
                    Nonce.parse(nonce),
                    owner(text.takeIfAny("owner")),
                    Long.parseLong(text.take("ttl-micros")),
                    micros(text.take("since")),
                    checkpointNumber(text.takeIfAny("checkpoint")));
        }
        long expiryMicros = micros(text.take("expires"));
        long cooldownMicros = Long.parseLong(text.take("cooldown-micros"));
        String tombstone = text.takeIfAny("released");
        return new LeaseRecord(
                key,
                fence,
                state,
                tenure,
                tombstone == null ? null : Nonce.parse(tombstone),
                expiryMicros,
                cooldownMicros,
                readProgress(text),
                readLine(text));
    }

    private static Progress readProgress(StateText.Reader text) {
        int tally = Integer.parseInt(text.take("attempts"));
        String fingerprint = text.takeIfAny("fingerprint");
        Predecessor predecessor = null;
        String takenFrom = text.takeIfAny("taken-from");
        if (takenFrom != null) {
            Fence fence = Fence.of(Long.parseLong(takenFrom));
            predecessor = new Predecessor(owner(text.takeIfAny("owner")), fence);
        }
        String payload = text.takeIfAny("payload");
        return Progress.ofTally(
                tally,
                fingerprint,
                predecessor,
                payload == null ? null : Payload.of(Base64.getDecoder().decode(payload)));
    }

    private static List<Place> readLine(StateText.Reader text) {
        List<Place> line = new ArrayList<>();
        String nonce;
        while ((nonce = text.takeIfAny("waits")) != null) {
            line.add(new Place(
                    Nonce.parse(nonce),
                    Owner.of(text.take("owner")),
                    Long.parseLong(text.take("ttl-micros")),
                    text.takeIfAny("fingerprint"),
                    micros(text.take("since")),
                    micros(text.take("until"))));
        }
        return line;
    }

    private static @Nullable Owner owner(@Nullable String label) {
        return label == null ? null : Owner.of(label);
    }

    private static int checkpointNumber(@Nullable String number) {
        return number == null ? 0 : Integer.parseInt(number);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND), Math.floorMod(micros, MICROS_PER_SECOND) * 1_000);
    }

    private static long micros(String instant) {
        Instant parsed = Instant.parse(instant);
        return Math.addExact(Math.multiplyExact(parsed.getEpochSecond(), MICROS_PER_SECOND), parsed.getNano() / 1_000);
    }
}
