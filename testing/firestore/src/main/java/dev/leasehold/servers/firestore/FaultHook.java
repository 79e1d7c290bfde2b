package dev.leasehold.servers.firestore;

import com.google.protobuf.Message;

/**
 * Lets a test disturb requests. Either method may wait, throw a {@link io.grpc.StatusRuntimeException} that the client
 * is given, or throw {@link Silence}. Called on the request's thread, without any lock; a stream of Listen calls
 * {@code before} for each of its messages.
 */
public interface FaultHook {
    /** Disturbs nothing. */
    FaultHook NONE = new FaultHook() {};

    /**
     * Called before a request does anything. What it throws means that nothing was applied.
     *
     * @param method the RPC's name, such as {@code Commit}
     */
    default void before(String method, Message request) {}

    /**
     * Called after a request has succeeded and before the reply is sent. What it throws replaces the reply: the
     * request is applied, and the client does not know.
     *
     * @param method the RPC's name, such as {@code Commit}
     */
    default void after(String method, Message request) {}

    /** Thrown by a hook so that the client gets no reply at all. */
    final class Silence extends RuntimeException {
        /** Makes the request go unanswered. */
        public Silence() {
            super("No reply, as the test's fault hook wants it");
        }
    }
}
