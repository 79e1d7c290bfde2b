package dev.leasehold.file;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A process's word that it alone will now change a lock file with a certain content.
 *
 * @param tag never used twice, so that a claim can itself be claimed once its process is dead
 */
record Claim(String tag, @Nullable ProcessMark process) {
    private static final String KIND = "claim";

    byte[] toBytes() {
        return new StateText.Writer(KIND)
                .put("tag", tag)
                .putIfAny("process", process)
                .toBytes();
    }

    static Claim parse(Path file, byte[] bytes) {
        return StateText.parse(
                file, KIND, bytes, "If no process is using the lock file beside it, delete this one.", text -> {
                    String tag = text.take("tag");
                    String process = text.takeIfAny("process");
                    return new Claim(tag, process == null ? null : ProcessMark.parse(process));
                });
    }
}
