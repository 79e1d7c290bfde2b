package dev.leasehold.servers.firestore;

import com.google.firestore.v1.BatchWriteRequest;
import com.google.firestore.v1.BatchWriteResponse;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.rpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** BatchWrite: each write succeeds or fails alone. */
final class BatchWrites {
    private final Engine engine;

    BatchWrites(Engine engine) {
        this.engine = engine;
    }

    BatchWriteResponse write(BatchWriteRequest request) {
        String database = Names.checkDatabase(request.getDatabase());
        Set<String> names = new HashSet<>();
        for (Write write : request.getWritesList()) {
            String name = write.hasUpdate() ? write.getUpdate().getName() : write.getDelete();
            if (!names.add(name)) {
                throw Refusals.invalid("A document is written more than once in one batch: " + name);
            }
        }
        BatchWriteResponse.Builder answer = BatchWriteResponse.newBuilder();
        for (Write write : request.getWritesList()) {
            try {
                WriteResult result =
                        engine.commit(database, List.of(write), null).getWriteResults(0);
                answer.addWriteResults(result).addStatus(Status.getDefaultInstance());
            } catch (StatusRuntimeException e) {
                answer.addWriteResults(WriteResult.getDefaultInstance())
                        .addStatus(Status.newBuilder()
                                .setCode(e.getStatus().getCode().value())
                                .setMessage(String.valueOf(e.getStatus().getDescription())));
            }
        }
        return answer.build();
    }
}
