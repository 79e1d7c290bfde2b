package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Why a key cannot be had now, in a line for people: who has it, since when, for how long still. */
final class Refusal {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

    private Refusal() {}

    static String text(Acquisition.Refused refused) {
        Key key = refused.key();
        if (refused.answer() instanceof AcquireResult.Held held) {
            return held(key, held.owner(), held.heldFor(), held.remaining(), held.fence());
        }
        if (refused.answer() instanceof AcquireResult.Cooling cooling) {
            return Messages.text("run.cooling", key, Durations.text(cooling.remaining()));
        }
        if (refused.answer() instanceof AcquireResult.Settled settled) {
            return Messages.text("run.settled", key, settled.settlement().state());
        }
        return refused.toString();
    }

    /** Somebody has it. */
    static String held(Key key, @Nullable Owner owner, Duration heldFor, Duration remaining, Fence fence) {
        return owner == null
                ? Messages.text("run.busy-nameless", key, Durations.text(remaining), fence)
                : Messages.text(
                        "run.busy",
                        key,
                        owner,
                        since(heldFor),
                        Durations.text(heldFor),
                        Durations.text(remaining),
                        fence);
    }

    private static String since(Duration ago) {
        LocalDateTime then = LocalDateTime.now(ZoneId.systemDefault()).minus(ago);
        return then.format(ago.toHours() < 20 ? TIME : DAY);
    }
}
