package dev.leasehold.servers.firestore;

import com.google.firestore.v1.ListenRequest;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.TargetChange;
import com.google.firestore.v1.TargetChange.TargetChangeType;
import com.google.protobuf.ByteString;
import com.google.rpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One stream of Listen. Requests and commits become steps that run one after another; each works out what to say under
 * the engine's lock and sends it outside. Several commits may be told as one.
 */
final class Listens implements StreamObserver<ListenRequest> {
    private static final System.Logger LOG = System.getLogger(FirestoreServer.class.getName());

    private final Engine engine;
    private final Executor executor;
    private final Consumer<ListenRequest> gate;
    private final StreamObserver<ListenResponse> out;
    private final Runnable unwatch;
    private final Map<Integer, Target> targets = new TreeMap<>();
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean isDirty = new AtomicBoolean();
    private volatile boolean isClosed;

    /** Starts a stream; the gate may refuse a request by an exception. */
    Listens(Engine engine, Executor executor, Consumer<ListenRequest> gate, StreamObserver<ListenResponse> out) {
        this.engine = engine;
        this.executor = executor;
        this.gate = gate;
        this.out = out;
        this.unwatch = engine.watch(this::committed);
    }

    @Override
    public void onNext(ListenRequest request) {
        submit(() -> handle(request));
    }

    @Override
    public void onError(Throwable failure) {
        close();
    }

    @Override
    public void onCompleted() {
        submit(() -> {
            close();
            out.onCompleted();
        });
    }

    /** Ends the stream's work; the client has gone, or was told. */
    void close() {
        isClosed = true;
        unwatch.run();
    }

    private void committed() {
        if (isDirty.compareAndSet(false, true)) {
            submit(this::update);
        }
    }

    private void submit(Runnable step) {
        steps.add(step);
        if (queued.getAndIncrement() == 0) {
            executor.execute(this::runSteps);
        }
    }

    private void runSteps() {
        do {
            Runnable step = steps.poll();
            if (step != null && !isClosed) {
                try {
                    step.run();
                } catch (FaultHook.Silence e) {
                    LOG.log(System.Logger.Level.DEBUG, "Listen goes unanswered");
                } catch (RuntimeException e) {
                    close();
                    out.onError(e);
                }
            }
        } while (queued.decrementAndGet() > 0);
    }

    private void handle(ListenRequest request) {
        gate.accept(request);
        String database = Names.checkDatabase(request.getDatabase());
        switch (request.getTargetChangeCase()) {
            case ADD_TARGET -> add(database, request.getAddTarget());
            case REMOVE_TARGET -> {
                targets.remove(request.getRemoveTarget());
                out.onNext(change(TargetChangeType.REMOVE, request.getRemoveTarget()));
            }
            case TARGETCHANGE_NOT_SET -> throw Refusals.invalid("A Listen request without a target");
        }
    }

    private void add(String database, com.google.firestore.v1.Target added) {
        int id = added.getTargetId();
        try {
            if (id == 0 || targets.containsKey(id)) {
                throw Refusals.invalid("A target's id is not 0, and unique in its stream: " + id);
            }
            Target target = target(database, added);
            List<ListenResponse> messages = engine.locked(() -> begin(id, target, added));
            targets.put(id, target);
            messages.forEach(out::onNext);
        } catch (StatusRuntimeException e) {
            Status cause = Status.newBuilder()
                    .setCode(e.getStatus().getCode().value())
                    .setMessage(String.valueOf(e.getStatus().getDescription()))
                    .build();
            out.onNext(ListenResponse.newBuilder()
                    .setTargetChange(TargetChange.newBuilder()
                            .setTargetChangeType(TargetChangeType.REMOVE)
                            .addTargetIds(id)
                            .setCause(cause))
                    .build());
        }
    }

    private Target target(String database, com.google.firestore.v1.Target added) {
        if (added.hasQuery()) {
            Query query =
                    new Query(added.getQuery().getParent(), added.getQuery().getStructuredQuery());
            engine.indexes().check(query);
            return new Target(added.getTargetId(), query::run);
        }
        List<String> names = added.getDocuments().getDocumentsList().stream()
                .map(name -> Names.checkDocument(name, database))
                .toList();
        return new Target(
                added.getTargetId(),
                (documents, micros) ->
                        names.stream().map(name -> documents.at(name, micros)).toList());
    }

    /** Returns the target's first snapshot, as changes since the client's if the client has one. */
    private List<ListenResponse> begin(int id, Target target, com.google.firestore.v1.Target added) {
        long now = engine.clock().readTime();
        List<ListenResponse> messages = new ArrayList<>();
        messages.add(change(TargetChangeType.ADD, id));
        long since = since(added);
        if (since > now || (since != 0 && since < engine.oldestRead())) {
            messages.add(change(TargetChangeType.RESET, id));
        } else if (since != 0) {
            target.resume(engine.documents(), since);
        }
        messages.addAll(target.changes(engine.documents(), now));
        messages.add(ListenResponse.newBuilder()
                .setTargetChange(
                        at(now).setTargetChangeType(TargetChangeType.CURRENT).addTargetIds(id))
                .build());
        messages.add(ListenResponse.newBuilder().setTargetChange(at(now)).build());
        return messages;
    }

    private static long since(com.google.firestore.v1.Target added) {
        ByteString token = added.getResumeToken();
        if (added.hasReadTime()) {
            return Micros.exact(added.getReadTime());
        }
        if (token.size() != 0 && token.size() != Long.BYTES) {
            throw Refusals.invalid("Not a resume token of this server");
        }
        return token.isEmpty() ? 0 : token.asReadOnlyByteBuffer().getLong();
    }

    /** Tells what has changed, and that the snapshot is complete. */
    private void update() {
        isDirty.set(false);
        List<ListenResponse> messages = engine.locked(() -> {
            long now = engine.clock().readTime();
            List<ListenResponse> changes = new ArrayList<>();
            targets.values().forEach(target -> changes.addAll(target.changes(engine.documents(), now)));
            if (!changes.isEmpty()) {
                changes.add(ListenResponse.newBuilder().setTargetChange(at(now)).build());
            }
            return changes;
        });
        messages.forEach(out::onNext);
    }

    /** A change of every target: the stream is at this time. */
    private static TargetChange.Builder at(long micros) {
        return TargetChange.newBuilder()
                .setReadTime(Micros.toProto(micros))
                .setResumeToken(ByteString.copyFrom(
                        ByteBuffer.allocate(Long.BYTES).putLong(micros).flip()));
    }

    private static ListenResponse change(TargetChangeType type, int id) {
        return ListenResponse.newBuilder()
                .setTargetChange(
                        TargetChange.newBuilder().setTargetChangeType(type).addTargetIds(id))
                .build();
    }
}
