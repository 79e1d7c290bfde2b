package dev.leasehold.redis;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The verb acquire, as it goes to acquire.lua and comes back. */
final class Acquiring {
    private final Keyspace keys;
    private final byte[] node;

    Acquiring(Keyspace keys, String node) {
        this.keys = keys;
        this.node = Bytes.of(node);
    }

    Call call(AcquireRequest request) {
        return Call.of(
                Script.ACQUIRE,
                keys.of(request.key()),
                Bytes.of(request.nonce().toString()),
                Bytes.of(request.owner().label()),
                Bytes.of(request.ttl()),
                Bytes.of(request.lockDelay()),
                Bytes.of(request.placeLife()),
                Bytes.of(request.ignoresCooldown()),
                Bytes.orNothing(request.fingerprint()),
                Bytes.orNothing(request.unmoved()),
                node);
    }

    AcquireResult result(AcquireRequest request, Object answer) {
        return answer instanceof List<?> list
                ? result(request, list)
                : new AcquireResult.Granted(
                        Records.fence(answer), Micros.toDuration(Micros.of(request.ttl())), 1, null, null);
    }

    private static AcquireResult result(AcquireRequest request, List<?> answer) {
        return switch (Bytes.text(answer.get(0))) {
            case "G" ->
                new AcquireResult.Granted(
                        Records.fence(answer.get(1)),
                        Bytes.time(answer.get(2)),
                        (int) Bytes.number(answer.get(3)),
                        Records.predecessor((byte[]) answer.get(4)),
                        payload(answer.get(5)));
            case "H" ->
                new AcquireResult.Held(
                        Owner.of(Bytes.text(answer.get(1))),
                        Records.fence(answer.get(2)),
                        Bytes.time(answer.get(3)),
                        Bytes.time(answer.get(4)),
                        Bytes.time(answer.get(5)),
                        request.waits());
            case "C" -> new AcquireResult.Cooling(Bytes.time(answer.get(1)));
            case "A" -> settled(answer);
            case "M" ->
                new AcquireResult.Mismatch(Records.fence(answer.get(1)), Records.state(Bytes.text(answer.get(2))));
            case "S" -> new AcquireResult.Spent();
            default -> throw new IllegalStateException("acquire.lua answered " + Bytes.text(answer.get(0)));
        };
    }

    private static AcquireResult settled(List<?> answer) {
        Duration remaining = Bytes.time(answer.get(3));
        Settlement settlement =
                new Settlement(Records.state(Bytes.text(answer.get(1))), payload(answer.get(5)), remaining);
        return new AcquireResult.Settled(
                settlement, Records.fence(answer.get(2)), (int) Bytes.number(answer.get(4)), remaining);
    }

    private static @Nullable Payload payload(@Nullable Object bytes) {
        return bytes == null ? null : Payload.of((byte[]) bytes);
    }
}
