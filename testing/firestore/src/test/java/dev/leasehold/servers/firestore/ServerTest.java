package dev.leasehold.servers.firestore;

import static dev.leasehold.servers.firestore.Bench.await;
import static dev.leasehold.servers.firestore.Bench.code;
import static dev.leasehold.servers.firestore.Bench.status;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.FieldValue;
import com.google.firestore.v1.BeginTransactionRequest;
import com.google.firestore.v1.BeginTransactionResponse;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.ExplainOptions;
import com.google.firestore.v1.GetDocumentRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The server")
class ServerTest {
    private Bench bench;

    @BeforeEach
    void open() {
        bench = Bench.open(Settings.DEFAULT);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("says in a header of each reply that it is not Google's")
    void repliesAreLabelled() {
        MethodDescriptor<BeginTransactionRequest, BeginTransactionResponse> begin =
                MethodDescriptor.<BeginTransactionRequest, BeginTransactionResponse>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName("google.firestore.v1.Firestore/BeginTransaction")
                        .setRequestMarshaller(ProtoUtils.marshaller(BeginTransactionRequest.getDefaultInstance()))
                        .setResponseMarshaller(ProtoUtils.marshaller(BeginTransactionResponse.getDefaultInstance()))
                        .build();
        AtomicReference<Metadata> headers = new AtomicReference<>();
        ManagedChannel channel = NettyChannelBuilder.forTarget(bench.server.host())
                .usePlaintext()
                .build();
        ClientCalls.blockingUnaryCall(
                ClientInterceptors.intercept(
                        channel, MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>())),
                begin,
                CallOptions.DEFAULT,
                BeginTransactionRequest.newBuilder()
                        .setDatabase(bench.database())
                        .build());
        channel.shutdownNow();
        assertThat(headers.get().get(Metadata.Key.of("x-served-by", Metadata.ASCII_STRING_MARSHALLER)))
                .isEqualTo("Leasehold's own Firestore server, not Google's");
    }

    @Test
    @DisplayName("listens on the loopback address only")
    void onlyLoopbackIsServed() throws Exception {
        List<InetAddress> others = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .toList();
        for (InetAddress address : others) {
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> new Socket(address, bench.server.port()).close())
                    .isInstanceOf(java.io.IOException.class);
        }
        assertThat(bench.server.host()).startsWith("127.0.0.1:");
    }

    @Test
    @DisplayName("answers UNIMPLEMENTED, by name, to what it does not have")
    void missingPartsAreNamed() {
        Status get = status(() -> bench.raw.getDocument(
                GetDocumentRequest.newBuilder().setName(bench.name("a")).build()));
        assertThat(get.getCode()).isEqualTo(Code.UNIMPLEMENTED);
        assertThat(get.getDescription()).contains("GetDocument");
        Status explain = status(() -> bench.raw
                .runQueryCallable()
                .all()
                .call(RunQueryRequest.newBuilder()
                        .setParent(bench.database() + "/documents")
                        .setStructuredQuery(StructuredQuery.newBuilder()
                                .addFrom(StructuredQuery.CollectionSelector.newBuilder()
                                        .setCollectionId("things")))
                        .setExplainOptions(ExplainOptions.newBuilder().setAnalyze(true))
                        .build()));
        assertThat(explain.getCode()).isEqualTo(Code.UNIMPLEMENTED);
        assertThat(explain.getDescription()).contains("RunQueryRequest.explain_options");
        assertThat(code(bench.document("v").set(Map.of("v", FieldValue.vector(new double[] {1, 2})))))
                .isEqualTo(Code.UNIMPLEMENTED);
    }

    @Test
    @DisplayName("answers UNIMPLEMENTED to fields that are newer than it")
    void unknownFieldsAreRefused() {
        UnknownFieldSet newer = UnknownFieldSet.newBuilder()
                .addField(999, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build();
        Status status = status(() -> bench.raw.beginTransaction(BeginTransactionRequest.newBuilder()
                .setDatabase(bench.database())
                .setUnknownFields(newer)
                .build()));
        assertThat(status.getCode()).isEqualTo(Code.UNIMPLEMENTED);
        assertThat(status.getDescription()).contains("999");
    }

    @Test
    @DisplayName("lets a test refuse a commit before it is applied, and lose its reply afterwards")
    void faultsCanBeInjected() {
        AtomicInteger commits = new AtomicInteger();
        bench.server.disturb(new FaultHook() {
            @Override
            public void before(String method, Message request) {
                if (method.equals("Commit") && commits.incrementAndGet() == 1) {
                    throw Status.INTERNAL.withDescription("before").asRuntimeException();
                }
            }

            @Override
            public void after(String method, Message request) {
                if (method.equals("Commit") && commits.get() == 2) {
                    throw Status.INTERNAL.withDescription("after").asRuntimeException();
                }
            }
        });
        assertThat(code(bench.commit(ByteString.EMPTY, bench.set("a", 1)))).isEqualTo(Code.INTERNAL);
        assertThat(bench.number("a")).isEqualTo(-1);
        assertThat(code(bench.commit(ByteString.EMPTY, bench.set("a", 2)))).isEqualTo(Code.INTERNAL);
        assertThat(bench.number("a")).isEqualTo(2);
        assertThat(code(bench.commit(ByteString.EMPTY, bench.set("a", 3)))).isEqualTo(Code.OK);
    }

    @Test
    @DisplayName("lets a test hold a reply back for ever")
    void repliesCanBeLost() throws Exception {
        CountDownLatch applied = new CountDownLatch(1);
        bench.server.disturb(new FaultHook() {
            @Override
            public void after(String method, Message request) {
                if (method.equals("Commit")) {
                    applied.countDown();
                    throw new Silence();
                }
            }
        });
        ApiFuture<CommitResponse> lost = bench.commit(ByteString.EMPTY, bench.set("a", 1));
        assertThat(applied.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(await(bench.document("a").get()).getLong("n")).isEqualTo(1);
        assertThat(lost.isDone()).isFalse();
    }
}
