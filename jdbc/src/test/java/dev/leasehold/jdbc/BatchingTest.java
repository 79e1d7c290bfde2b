package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("On PostgreSQL, many callers on few connections")
class BatchingTest {
    private static final int CALLERS = 64;

    private final AtomicInteger statements = new AtomicInteger();

    @Test
    @DisplayName("W06 need fewer statements than they make calls, and each gets its own lease")
    void together() throws Exception {
        try (TestDatabase database = TestDatabase.postgres(18);
                JdbcLeaseStore store = JdbcLeaseStore.builder(Sessions.source(() ->
                                counting(Connection.class, database.source().getConnection())))
                        .connections(2)
                        .open()) {
            Set<Key> taken = new HashSet<>();
            List<LeaseRef> leases = Threads.race(CALLERS, racer -> {
                AcquireRequest request = Ask.of(Ask.key());
                LeaseRef lease = Ask.take(store, request);
                assertThat(lease.nonce()).isEqualTo(request.nonce());
                return lease;
            });
            for (LeaseRef lease : leases) {
                taken.add(lease.key());
                assertThat(store.find(lease.key()).orElseThrow().record().fence())
                        .isEqualTo(lease.fence());
            }
            assertThat(taken).hasSize(CALLERS);
            int before = statements.get();
            assertThat(Threads.race(CALLERS, racer -> store.release(ReleaseRequest.of(leases.get(racer)))))
                    .containsOnly(ReleaseResult.RELEASED);
            assertThat(statements.get() - before)
                    .as("statements for 64 releases")
                    .isLessThan(CALLERS / 2);
        }
    }

    /** The same object, which counts the statements that are executed through it. */
    private <T> T counting(Class<T> type, T counted) {
        return type.cast(Proxy.newProxyInstance(
                BatchingTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (counted instanceof PreparedStatement && method.getName().startsWith("execute")) {
                        statements.incrementAndGet();
                    }
                    try {
                        Object result = method.invoke(counted, arguments);
                        return result instanceof PreparedStatement statement
                                ? counting(PreparedStatement.class, statement)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
