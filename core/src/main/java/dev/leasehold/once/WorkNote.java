package dev.leasehold.once;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.store.Key;

/**
 * A note on an error that the work of a run threw. The run throws errors of the same types about its own key, so the type
 * does not tell where one comes from. The note is suppressed in the error, which is thrown on as it is.
 *
 * <p>The work of a run within a run may throw an error about the key of the outer one. That run then takes the note back
 * by another one: the last note counts.
 */
final class WorkNote extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isOfWork;

    private WorkNote(String message, boolean isOfWork) {
        super(message, null, false, false);
        this.isOfWork = isOfWork;
    }

    /** Puts a note on an error that the work of the run on this key threw, if it needs one. */
    static void putOn(Throwable error, Key key) {
        if (isAboutAnother(error, key)) {
            if (!isOn(error)) {
                error.addSuppressed(new WorkNote("The work of the run on " + key + " threw this.", true));
            }
        } else if (isOn(error)) {
            error.addSuppressed(new WorkNote("The run on " + key + " ended by this.", false));
        }
    }

    private static boolean isAboutAnother(Throwable error, Key key) {
        return error instanceof LeaseException lease && !key.equals(lease.key());
    }

    static boolean isOn(Throwable error) {
        boolean isOfWork = false;
        for (Throwable suppressed : error.getSuppressed()) {
            isOfWork = suppressed instanceof WorkNote note ? note.isOfWork : isOfWork;
        }
        return isOfWork;
    }
}
