package dev.leasehold.servers.firestore;

import java.io.IOException;

/** Another server uses the file, in this process or another. */
public final class JournalInUseException extends IOException {
    private static final long serialVersionUID = 1L;

    JournalInUseException(String message) {
        super(message);
    }
}
