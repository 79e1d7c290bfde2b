package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The wait for a connection of the user's source")
class InterruptedBorrowTest {
    @Test
    @DisplayName("ends with an interrupt, and a connection that comes later is closed")
    void interrupted() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch mayCome = new CountDownLatch(1);
        CountDownLatch isClosed = new CountDownLatch(1);
        UrlDataSource real = new UrlDataSource("jdbc:h2:mem:interrupted", null, null);
        DataSource slow = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    isAsked.countDown();
                    mayCome.await();
                    return closing(real.getConnection(), isClosed);
                });
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                OwnThread.borrow(slow).close();
            } catch (Throwable e) {
                thrown.set(e);
            }
        });
        waiting.start();
        isAsked.await();
        waiting.interrupt();
        waiting.join(30_000);

        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        mayCome.countDown();
        assertThat(isClosed.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static Connection closing(Connection connection, CountDownLatch isClosed) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        isClosed.countDown();
                    }
                    return method.invoke(connection, arguments);
                });
    }
}
