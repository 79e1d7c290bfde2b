package dev.leasehold.servers.firestore;

import com.google.firestore.v1.ListenRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/** The RPCs of {@code google.firestore.v1.Firestore} that the server has; gRPC answers the others UNIMPLEMENTED. */
final class Methods {
    private static final System.Logger LOG = System.getLogger(FirestoreServer.class.getName());
    private static final String SERVICE = "google.firestore.v1.Firestore";
    private static final int MAX_REQUEST = 10 << 20;

    private final ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(SERVICE);
    private volatile FaultHook hook = FaultHook.NONE;

    void disturb(FaultHook disturbance) {
        hook = disturbance;
    }

    ServerServiceDefinition toService() {
        return service.build();
    }

    <Q extends Message, A extends Message> void unary(String name, Q request, A reply, Function<Q, A> work) {
        service.addMethod(
                descriptor(name, MethodType.UNARY, request, reply),
                ServerCalls.asyncUnaryCall((asked, out) -> answer(name, asked, one -> List.of(work.apply(one)), out)));
    }

    <Q extends Message, A extends Message> void streaming(String name, Q request, A reply, Function<Q, List<A>> work) {
        service.addMethod(
                descriptor(name, MethodType.SERVER_STREAMING, request, reply),
                ServerCalls.asyncServerStreamingCall((asked, out) -> answer(name, asked, work, out)));
    }

    /** Adds Listen; its stream passes each of its requests through a gate, which may refuse it. */
    void listen(BiFunction<Consumer<ListenRequest>, StreamObserver<ListenResponse>, Listens> start) {
        MethodDescriptor<ListenRequest, ListenResponse> listen = descriptor(
                "Listen",
                MethodType.BIDI_STREAMING,
                ListenRequest.getDefaultInstance(),
                ListenResponse.getDefaultInstance());
        service.addMethod(listen, ServerCalls.asyncBidiStreamingCall(out -> {
            Listens stream = start.apply(asked -> admit("Listen", asked), out);
            ((ServerCallStreamObserver<ListenResponse>) out).setOnCancelHandler(stream::close);
            return stream;
        }));
    }

    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> descriptor(
            String name, MethodType type, Q request, A reply) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(reply))
                .build();
    }

    private void admit(String name, Message request) {
        if (request.getSerializedSize() > MAX_REQUEST) {
            throw Refusals.invalid(
                    "The request has " + request.getSerializedSize() + " bytes, more than " + MAX_REQUEST);
        }
        Known.check(request);
        hook.before(name, request);
    }

    private <Q extends Message, A> void answer(
            String name, Q request, Function<Q, List<A>> work, StreamObserver<A> out) {
        try {
            admit(name, request);
            List<A> answers = work.apply(request);
            hook.after(name, request);
            answers.forEach(out::onNext);
            out.onCompleted();
        } catch (FaultHook.Silence e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} goes unanswered", name);
        } catch (StatusRuntimeException e) {
            out.onError(e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, name + " failed", e);
            out.onError(Status.INTERNAL.withDescription(e.toString()).asRuntimeException());
        }
    }
}
