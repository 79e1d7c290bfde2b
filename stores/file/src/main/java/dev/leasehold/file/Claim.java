package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A process's word, in a file, that it alone will now change a lock file with a certain content. */
record Claim(@Nullable ProcessMark process) {
    private static final String KIND = "claim";

    byte[] toBytes() {
        return new StateText.Writer(KIND).putIfAny("process", process).toBytes();
    }

    /** What the file says. One that was cut short, when the host crashed, does not tell whose it was. */
    static Claim parse(Path file, byte[] bytes) {
        try {
            return StateText.parse(file, KIND, bytes, "", text -> {
                String process = text.takeIfAny("process");
                return new Claim(process == null ? null : ProcessMark.parse(process));
            });
        } catch (StoreException e) {
            return new Claim(null);
        }
    }
}
