package dev.leasehold.once;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.store.Key;
import java.util.Arrays;

/**
 * A note on an error that the work of a run threw. The run throws errors of the same types about its own key, so the type
 * does not tell where one comes from. The note is suppressed in the error, which is thrown on as it is.
 */
final class WorkNote extends Exception {
    private static final long serialVersionUID = 1L;

    private WorkNote(Key key) {
        super("The work of the run on " + key + " threw this.", null, false, false);
    }

    /** Puts a note on an error that the work of the run on this key threw, if it needs one. */
    static void putOn(Throwable error, Key key) {
        if (isAboutAnother(error, key) && !isOn(error)) {
            error.addSuppressed(new WorkNote(key));
        }
    }

    private static boolean isAboutAnother(Throwable error, Key key) {
        return error instanceof LeaseException lease && !key.equals(lease.key());
    }

    static boolean isOn(Throwable error) {
        return Arrays.stream(error.getSuppressed()).anyMatch(WorkNote.class::isInstance);
    }
}
