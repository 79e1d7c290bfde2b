package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Many callers on few connections")
class BatchingTest {
    private static final int CALLERS = 64;

    private final AtomicInteger statements = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** The first is held up on its way, and keeps the lane busy until all others queue behind it. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("W06 go in few statements, to take and to give back alike, and each gets its own answer")
    void together(Kind kind, @TempDir Path directory) throws Exception {
        try (TestDatabase database = kind.fresh(directory);
                JdbcLeaseStore store = JdbcLeaseStore.builder(Sessions.source(() ->
                                counting(Connection.class, database.source().getConnection())))
                        .connections(2)
                        .open()) {
            List<LeaseRef> leases = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                leases.add(Ask.take(store, Ask.key()));
            }
            List<LeaseRef> free = leases.subList(0, CALLERS / 2);
            free.forEach(lease -> store.release(ReleaseRequest.of(lease)));
            List<LeaseRef> held = leases.subList(CALLERS / 2, CALLERS);
            List<Threads.Running<LeaseRef>> taking = new ArrayList<>();
            List<Threads.Running<ReleaseResult>> giving = new ArrayList<>();
            int before;
            gate = new CountDownLatch(1);
            taking.add(Threads.start(() -> Ask.take(store, free.get(0).key())));
            Threads.eventually("it is on its way", () -> statements.get() > 3 * CALLERS / 2);
            before = statements.get();
            for (LeaseRef lease : free.subList(1, free.size())) {
                taking.add(Threads.start(() -> Ask.take(store, lease.key())));
            }
            for (LeaseRef lease : held) {
                giving.add(Threads.start(() -> store.release(ReleaseRequest.of(lease))));
            }
            Threads.eventually("all queue", () -> isQueuing(taking.subList(1, taking.size())) && isQueuing(giving));
            gate.countDown();
            List<LeaseRef> taken = new ArrayList<>();
            for (Threads.Running<LeaseRef> one : taking) {
                taken.add(one.get());
            }
            for (Threads.Running<ReleaseResult> one : giving) {
                assertThat(one.get()).isEqualTo(ReleaseResult.RELEASED);
            }
            assertThat(statements.get() - before).as("statements for 63 calls").isLessThan(8);
            for (int i = 0; i < taken.size(); i++) {
                assertThat(taken.get(i).key()).isEqualTo(free.get(i).key());
                assertThat(taken.get(i).fence()).isGreaterThan(free.get(i).fence());
                assertThat(store.find(taken.get(i).key()).orElseThrow().record().ref())
                        .isEqualTo(taken.get(i));
            }
        }
    }

    private static boolean isQueuing(List<? extends Threads.Running<?>> callers) {
        return callers.stream().allMatch(Threads.Running::isWaiting);
    }

    /** The same object, which counts the statements that are executed through it. */
    private <T> T counting(Class<T> type, T counted) {
        return type.cast(Proxy.newProxyInstance(
                BatchingTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    if (counted instanceof PreparedStatement && method.getName().startsWith("execute")) {
                        statements.incrementAndGet();
                        gate.await();
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
