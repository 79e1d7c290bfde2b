package dev.leasehold.file;

import dev.leasehold.store.LeaseRecord;
import java.nio.file.Path;

/**
 * What a lock file says.
 *
 * @param tag never used twice: tells this content from all that the file ever had and will have
 */
record LockContent(String tag, FileTime written, LeaseRecord record) {
    private static final String KIND = "lock";

    static LockContent of(LeaseRecord record, FileTime now) {
        return new LockContent(Machine.newTag(), now, record);
    }

    byte[] toBytes() {
        StateText.Writer text = new StateText.Writer(KIND)
                .put("tag", tag)
                .put("clock", written.domain())
                .put("written-micros", written.micros())
                .put("monotonic-micros", written.monotonicMicros());
        RecordText.write(text, record);
        return text.toBytes();
    }

    static LockContent parse(Path file, byte[] bytes) {
        return StateText.parse(
                file,
                KIND,
                bytes,
                "The lease is granted to nobody until this is mended. If no process uses it, delete the file: the lease"
                        + " is free then.",
                text -> new LockContent(text.take("tag"), time(text), RecordText.read(text)));
    }

    private static FileTime time(StateText.Reader text) {
        return new FileTime(
                text.take("clock"),
                Long.parseLong(text.take("written-micros")),
                Long.parseLong(text.take("monotonic-micros")));
    }
}
