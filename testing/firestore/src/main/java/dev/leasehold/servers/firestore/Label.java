package dev.leasehold.servers.firestore;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

/** Adds the header {@code x-served-by} to every reply, so that no one takes this server for Google's. */
final class Label implements ServerInterceptor {
    static final Metadata.Key<String> HEADER = Metadata.Key.of("x-served-by", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendHeaders(Metadata reply) {
                        reply.put(HEADER, FirestoreServer.LABEL);
                        super.sendHeaders(reply);
                    }
                },
                headers);
    }
}
