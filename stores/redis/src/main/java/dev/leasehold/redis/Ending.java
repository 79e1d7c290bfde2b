package dev.leasehold.redis;

import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;

/** The verbs release and settle, as they go to their scripts and come back. */
final class Ending {
    private static final byte[] HAND_OVER = Bytes.of(LeaseRules.HAND_OVER);

    private final Keyspace keys;

    Ending(Keyspace keys) {
        this.keys = keys;
    }

    Call call(ReleaseRequest request) {
        String ending = switch (request.ending()) {
            case WIPE -> "W";
            case KEEP_ATTEMPTS -> "K";
            case FORGET -> "F";
        };
        return Call.of(
                Script.RELEASE,
                keys.of(request.key()),
                Bytes.of(request.nonce().toString()),
                Bytes.orNothing(request.fence()),
                Bytes.of(ending),
                Bytes.of(request.cooldown()),
                HAND_OVER,
                keys.channel,
                keys.prefixLength);
    }

    static ReleaseResult released(Object answer) {
        return Bytes.text(answer).equals("R") ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }

    Call call(SettleRequest request) {
        Payload payload = request.settlement().payload();
        return Call.of(
                Script.SETTLE,
                keys.of(request.lease().key()),
                Bytes.of(request.lease().nonce().toString()),
                Bytes.of(request.lease().fence().value()),
                Bytes.of(Records.code(request.settlement().state())),
                Bytes.of(payload != null),
                payload == null ? Bytes.NOTHING : payload.bytes(),
                Bytes.of(request.settlement().retention()),
                Bytes.of(request.amends()),
                keys.channel,
                keys.prefixLength,
                Bytes.of(request.checkpointNumber()));
    }

    static SettleResult settled(Object answer) {
        return Bytes.text(answer).equals("S") ? SettleResult.SETTLED : SettleResult.SUPERSEDED;
    }
}
