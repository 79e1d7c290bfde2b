package dev.leasehold.once;

import dev.leasehold.store.Key;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * Divides time into slots that follow each other without gap or overlap, such as days: for work that is done once in
 * each.
 *
 * <p>A slot gives a key, and a run under that key is done once for the slot. The slot is chosen by the caller's clock,
 * or better by the moment for which a scheduler says it fired; no store tells its clock. So callers whose clocks differ
 * may choose different slots near a boundary, and then the work is done in both: start it well inside the slot. For a
 * minimum distance between two runs, whatever the clock shows, use a cooldown instead.
 *
 * <p>Keys tell the kind of slot, so slots of different kinds never meet. Immutable.
 */
public final class Slots {
    private final String name;
    private final @Nullable ZoneId zone;
    private final Duration length;
    private final Instant anchor;

    private Slots(String name, @Nullable ZoneId zone, Duration length, Instant anchor) {
        this.name = name;
        this.zone = zone;
        this.length = length;
        this.anchor = anchor;
    }

    /** The days of a place's calendar, from one midnight to the next, however long that is when clocks are changed. */
    public static Slots daily(ZoneId zone) {
        return new Slots("daily " + zone.getId(), zone, Duration.ofDays(1), Instant.EPOCH);
    }

    /** The hours of Coordinated Universal Time. */
    public static Slots hourly() {
        return every(Duration.ofHours(1));
    }

    /** Slots of this length, counted from the beginning of 1970, UTC. */
    public static Slots every(Duration length) {
        return every(length, Instant.EPOCH);
    }

    /**
     * Slots of this length, one of which begins at the anchor.
     *
     * @param length at least a millisecond, and no finer
     */
    public static Slots every(Duration length, Instant anchor) {
        if (length.compareTo(Duration.ofMillis(1)) < 0 || length.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException("A slot lasts whole milliseconds, at least one, not " + length + ".");
        }
        // The offset of the first slot rather than the anchor, because many anchors mean the same slots.
        Instant first = Instant.EPOCH.plusMillis(Math.floorMod(anchor.toEpochMilli(), length.toMillis()));
        String offset = first.equals(Instant.EPOCH) ? "" : " from " + Duration.between(Instant.EPOCH, first);
        return new Slots("every " + length + offset, null, length, first);
    }

    /** The slot that a moment lies in. The moment of a boundary lies in the slot that begins there. */
    public Slot slotOf(Instant moment) {
        if (zone != null) {
            LocalDate day = LocalDate.ofInstant(moment, zone);
            Instant start = day.atStartOfDay(zone).toInstant();
            return new Slot(
                    name,
                    day.toString(),
                    start,
                    day.plusDays(1).atStartOfDay(zone).toInstant());
        }
        long millis = length.toMillis();
        long number = Math.floorDiv(moment.toEpochMilli() - anchor.toEpochMilli(), millis);
        Instant start = anchor.plusMillis(number * millis);
        return new Slot(name, start.toString(), start, start.plusMillis(millis));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Slots that && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return name;
    }

    /**
     * One slot.
     *
     * @param kind which slots it is one of
     * @param label names it among them: a day, or when it starts
     * @param end where the next one starts
     */
    public record Slot(String kind, String label, Instant start, Instant end) {

        /** The key of a job in this slot: another for each slot, and the same to everybody who asks in it. */
        public Key keyOf(Key job) {
            return Key.of(job + "/" + Key.of(kind, label));
        }

        /**
         * How long an answer has to be kept that is given now, so that the work is not done again in this slot: until
         * its end, and an hour more for clocks that are late.
         */
        public Duration retentionFrom(Instant now) {
            Duration left = Duration.between(now, end);
            return (left.isNegative() ? Duration.ZERO : left).plusHours(1);
        }
    }
}
