package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.State;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

@Timeout(60)
@DisplayName("At the end of the application")
class ShutdownTest {
    static class Inner {
        final CountDownLatch isWorking = new CountDownLatch(1);
        final AtomicReference<String> ended = new AtomicReference<>();

        @Locked(key = "task")
        public void work(Lease lease) throws InterruptedException {
            isWorking.countDown();
            Thread.sleep(300);
            ended.compareAndSet(null, lease.isValid() ? "under its lease" : "without its lease");
        }
    }

    static class Task {
        private final Inner inner;

        Task(Inner inner) {
            this.inner = inner;
        }

        @Scheduled(fixedDelay = 60_000)
        public void run() throws InterruptedException {
            inner.work(null);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Parts {
        @Bean
        Inner inner() {
            return new Inner();
        }

        @Bean
        Task task(Inner inner) {
            return new Task(inner);
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setWaitForTasksToCompleteOnShutdown(true);
            scheduler.setAwaitTerminationSeconds(30);
            return scheduler;
        }
    }

    @Test
    @DisplayName("a task that Spring waits for ends under its lease, which is given back")
    void order() {
        MemoryLeaseStore store = new MemoryLeaseStore();
        Inner[] inner = new Inner[1];
        Application.plain()
                .withBean(LeaseStore.class, () -> store, definition -> definition.setDestroyMethodName(""))
                .withUserConfiguration(Parts.class)
                .run(context -> {
                    inner[0] = Target.of(context.getBean(Inner.class));
                    inner[0].isWorking.await();
                });
        assertThat(inner[0].ended).hasValue("under its lease");
        assertThat(store.find(Key.of("task")).orElseThrow().record().state()).isEqualTo(State.FREE);
    }
}
