package dev.leasehold.spring.http;

import java.io.IOException;

/** A body of a request or reply that has more bytes than are kept. */
final class BodyTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    BodyTooLargeException(String what, int mostBytes) {
        super(what + " has more than " + mostBytes + " bytes.");
    }
}
