package dev.leasehold.spring.http;

import dev.leasehold.once.http.Reply;

/** A reply that is sent and not kept, because the same request may be answered otherwise next time. Clears the run. */
final class PassingReplyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Reply reply;

    PassingReplyException(Reply reply) {
        super("status " + reply.status(), null, false, false);
        this.reply = reply;
    }

    static boolean isPassing(Reply reply) {
        int status = reply.status();
        return status >= 500 || status == 408 || status == 425 || status == 429;
    }

    Reply reply() {
        return reply;
    }
}
