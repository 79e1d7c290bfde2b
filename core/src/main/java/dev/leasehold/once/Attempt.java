package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Owner;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a run, as its record remembers it.
 *
 * @param number counted from 1
 * @param owner who made it, if the record can tell
 * @param lasted how long the work took by the runner's clock; {@code null} if it never said
 * @param note the error or the reason, for people, cut to 500 chars; may be empty
 */
public record Attempt(
        int number,
        @Nullable Owner owner,
        Fence fence,
        @Nullable Duration lasted,
        Ending ending,
        String note) {
    /** How an attempt ended. */
    public enum Ending {
        DONE('D'),
        /** With a failure that is kept. */
        FAILED('F'),
        /** With a failure that let the next caller try. */
        CLEARED('C'),
        ON_HOLD('H'),
        /** Its lease ran out and nobody heard of it again. */
        WENT_SILENT('S');

        /** How it is stored. */
        final char code;

        Ending(char code) {
            this.code = code;
        }

        static Ending of(int code) {
            for (Ending ending : values()) {
                if (ending.code == code) {
                    return ending;
                }
            }
            throw new IllegalArgumentException("There is no ending " + code + ".");
        }
    }

    private static final int LONGEST_NOTE = 500;

    public Attempt {
        note = ErrorText.cut(note, LONGEST_NOTE);
    }
}
