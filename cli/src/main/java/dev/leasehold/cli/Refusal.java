package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Why a key cannot be had now, in a line for people: who has it, since when, for how long still. */
final class Refusal {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");

    private Refusal() {}

    static String text(Acquisition.Refused refused) {
        Key key = refused.key();
        if (refused.answer() instanceof AcquireResult.Held held) {
            @Nullable Owner owner = held.owner();
            if (owner == null) {
                return Messages.text("run.busy-nameless", key, Durations.text(held.remaining()), held.fence());
            }
            return Messages.text(
                    "run.busy",
                    key,
                    owner,
                    since(held.heldFor()),
                    Durations.text(held.heldFor()),
                    Durations.text(held.remaining()),
                    held.fence());
        }
        if (refused.answer() instanceof AcquireResult.Cooling cooling) {
            return Messages.text("run.cooling", key, Durations.text(cooling.remaining()));
        }
        return refused.toString();
    }

    private static String since(Duration ago) {
        LocalDateTime then = LocalDateTime.now(ZoneId.systemDefault()).minus(ago);
        return then.format(ago.toHours() < 20 ? TIME : DAY);
    }
}
