package dev.leasehold.file;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is written, by turns, in one of the two places in the file of an operating-system lock.
 *
 * @param sequence grows with each write; its parity tells the place
 * @param process the holder's, while held
 * @param number what the file system calls the file that the holder locked; {@code null} if unknown or not held. A copy
 *     of the file has another
 * @param record {@code null} if there was never a lease
 */
record OsLockSlot(
        long sequence,
        @Nullable ProcessMark process,
        @Nullable String number,
        @Nullable LeaseRecord record) {
    static final int SIZE = 4096;

    /** What a new file has. */
    static final OsLockSlot NEW = new OsLockSlot(0, null, null, null);

    private static final String KIND = "os-lock-state";
    private static final String NEVER_HELD = "never-held";

    /** Which of the two places is this one's. */
    int place() {
        return (int) (sequence % 2);
    }

    byte[] toBytes(Path file) {
        StateText.Writer text = new StateText.Writer(KIND)
                .put("sequence", sequence)
                .putIfAny("process", process)
                .putIfAny("file", number);
        if (record == null) {
            text.put(NEVER_HELD, true);
        } else {
            RecordText.write(text, record);
        }
        byte[] bytes = text.toBytes();
        if (bytes.length > SIZE) {
            throw new StoreException("The record needs " + bytes.length + " bytes, and " + file + " has room for "
                    + SIZE + ". Keep large payloads in a FileLeaseStore or a database.");
        }
        return Arrays.copyOf(bytes, SIZE);
    }

    /** What the place has; {@code null} if it was not written to the end. */
    static @Nullable OsLockSlot parse(Path file, byte[] place) {
        try {
            return StateText.parse(file, KIND, trim(place), "", OsLockSlot::parse);
        } catch (StoreException e) {
            return null;
        }
    }

    private static OsLockSlot parse(StateText.Reader text) {
        long sequence = Long.parseLong(text.take("sequence"));
        String process = text.takeIfAny("process");
        String number = text.takeIfAny("file");
        boolean isNew = text.takeIfAny(NEVER_HELD) != null;
        ProcessMark holder = process == null ? null : ProcessMark.parse(process);
        return new OsLockSlot(sequence, holder, number, isNew ? null : RecordText.read(text));
    }

    /** Without the zeros at the end. */
    static byte[] trim(byte[] place) {
        int length = place.length;
        while (length > 0 && place[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(place, length);
    }
}
