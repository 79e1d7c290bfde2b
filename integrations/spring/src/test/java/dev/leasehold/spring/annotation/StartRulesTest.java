package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.once.Run;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Each class has a method that must not start, and the reason as it is told. */
@DisplayName("The start is refused for an annotated method")
class StartRulesTest {
    @SuppressWarnings("UnusedMethod")
    static class PrivateMethod {
        @Locked(key = "k")
        private void work() {}
    }

    static class FinalMethod {
        @Locked(key = "k")
        final void work() {}
    }

    static class StaticMethod {
        @RunOnce(key = "k")
        static String work() {
            return "";
        }
    }

    static final class FinalClass {
        @Locked(key = "k")
        public void work() {}
    }

    static class SkippedPrimitive {
        @Locked(key = "k")
        public int work() {
            return 1;
        }
    }

    static class SkippedPrimitiveRun {
        @RunOnce(key = "k", onBusy = OnBusy.SKIP)
        public boolean work() {
            return true;
        }
    }

    static class Both {
        @Locked(key = "k")
        @RunOnce(key = "k")
        public void work() {}
    }

    static class RunOfALock {
        @Locked(key = "k")
        public void work(Run<?> run) {}
    }

    static class Reactive {
        @Locked(key = "k")
        public Mono<String> work() {
            return Mono.empty();
        }
    }

    static class Publishing {
        @Locked(key = "k")
        public Flow.Publisher<String> work() {
            return null;
        }
    }

    static class PlainFuture {
        @Locked(key = "k")
        public Future<String> work() {
            return null;
        }
    }

    static class FutureOfARun {
        @RunOnce(key = "k")
        public CompletableFuture<String> work() {
            return null;
        }
    }

    static class LazyStream {
        @Locked(key = "k")
        public Stream<String> work() {
            return Stream.empty();
        }
    }

    static class BadKey {
        @Locked(key = "sync/#{#sheet")
        public void work(String sheet) {}
    }

    static class BadTtl {
        @Locked(key = "k", ttl = "soon")
        public void work() {}
    }

    static class NegativeTtl {
        @Locked(key = "k", ttl = "-5s")
        public void work() {}
    }

    static class BadRetention {
        @RunOnce(key = "k", retain = "0s")
        public void work() {}
    }

    static class MissingProperty {
        @Locked(key = "${no.such.property}/k")
        public void work() {}
    }

    static class CallsItself {
        public void all() {
            one("a", 1L);
        }

        @Locked(key = "k/#{#name}")
        public void one(String name, long number) {}
    }

    static class CallsItselfInALambda {
        public Runnable all(boolean isFirst) {
            return () -> one(isFirst ? "a" : "b", 1L);
        }

        @Locked(key = "k/#{#name}")
        public void one(String name, long number) {}
    }

    static class CallsItselfByReference {
        public Supplier<String> all() {
            return this::one;
        }

        @RunOnce(key = "k")
        public String one() {
            return "";
        }
    }

    static class Inherits extends CallsItself {}

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(PrivateMethod.class, "private"),
                Arguments.of(FinalMethod.class, "final"),
                Arguments.of(StaticMethod.class, "static"),
                Arguments.of(FinalClass.class, "final class"),
                Arguments.of(SkippedPrimitive.class, "returns int"),
                Arguments.of(SkippedPrimitiveRun.class, "returns boolean"),
                Arguments.of(Both.class, "both @Locked and @RunOnce"),
                Arguments.of(RunOfALock.class, "no @RunOnce"),
                Arguments.of(Reactive.class, "reactor.core.publisher.Mono"),
                Arguments.of(Publishing.class, "Flow$Publisher"),
                Arguments.of(PlainFuture.class, "java.util.concurrent.Future"),
                Arguments.of(FutureOfARun.class, "CompletableFuture"),
                Arguments.of(LazyStream.class, "java.util.stream.Stream"),
                Arguments.of(BadKey.class, "cannot be read"),
                Arguments.of(BadTtl.class, "ttl is a time"),
                Arguments.of(NegativeTtl.class, "TTL must be positive"),
                Arguments.of(BadRetention.class, "retention must be positive"),
                Arguments.of(MissingProperty.class, "no.such.property"),
                Arguments.of(CallsItself.class, "is called by the method all"),
                Arguments.of(CallsItselfInALambda.class, "is called by the method"),
                Arguments.of(CallsItselfByReference.class, "is called by the method all"),
                Arguments.of(Inherits.class, "is called by the method all"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    @DisplayName("that would not do what its annotation says, with class, method and reason")
    void isRefused(Class<?> type, String reason) {
        Application.inMemory()
                .withBean(type)
                .run(context -> assertThat(Application.failure(context))
                        .contains(type.getName().replaceAll("^.*\\.", ""))
                        .containsAnyOf(".work(", ".one(")
                        .contains(reason));
    }

    static class Fine {
        private final Fine other = this;

        @Locked(key = "k")
        public Integer number() {
            return 1;
        }

        @Locked(key = "k", onBusy = OnBusy.FAIL)
        public int primitive() {
            return 1;
        }

        @RunOnce(key = "r")
        public int result() {
            return 1;
        }

        @Locked(key = "f")
        public CompletableFuture<String> later(Lease lease) {
            return CompletableFuture.completedFuture("");
        }

        @Locked(key = "o")
        protected Optional<String> maybe() {
            return Optional.empty();
        }

        /** On another object of the class, which may be the bean. */
        public void callsAnother(Fine bean) {
            bean.number();
            other.result();
            Runnable reference = bean::number;
            reference.run();
        }

        @Override
        public String toString() {
            return "fine";
        }
    }

    static class Overrides extends Fine {
        @Override
        public Integer number() {
            return super.number() + 1;
        }
    }

    @Test
    @DisplayName("only if there is a reason")
    void isAccepted() {
        Application.inMemory().withBean(Fine.class).run(context -> {
            assertThat(Application.failure(context)).isEmpty();
            assertThat(context.getBean(Fine.class).number()).isEqualTo(1);
            assertThat(context.getBean(Fine.class).result()).isEqualTo(1);
            assertThat(context.getBean(Fine.class).result()).isEqualTo(1);
        });
        Application.inMemory()
                .withBean(Overrides.class)
                .run(context -> assertThat(Application.failure(context)).isEmpty());
    }

    interface Api {
        void other();
    }

    static class Implementation implements Api {
        @Override
        public void other() {}

        @Locked(key = "k")
        public void work() {}
    }

    @Test
    @DisplayName("that the bean's interfaces hide")
    void hiddenByInterface() {
        Application.inMemory()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Api.class, Implementation::new)
                .run(context -> assertThat(Application.failure(context))
                        .contains("Implementation.work()")
                        .contains("spring.aop.proxy-target-class=false"));
    }

    @Test
    @DisplayName("of a class whose bean nobody asked for is never looked at")
    void otherClasses() {
        Application.inMemory()
                .withBean(PrivateMethod.class, PrivateMethod::new, definition -> definition.setLazyInit(true))
                .run(context -> assertThat(Application.failure(context)).isEmpty());
    }
}
