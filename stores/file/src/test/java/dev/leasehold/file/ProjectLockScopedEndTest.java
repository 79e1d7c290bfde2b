package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("LOCK-11")
@DisplayName("Project locks: the end of the scoped form")
class ProjectLockScopedEndTest extends ProjectLocksFixture {
    /** Work of both forms, what it does, what its caller is thrown, and how its events end. */
    static Stream<Arguments> works() {
        return Stream.of(false, true).flatMap(ProjectLockScopedEndTest::works);
    }

    private static Stream<Arguments> works(boolean isAsync) {
        Class<?> none = null;
        return Stream.of(
                row("returns", isAsync, test -> {}, none, "lock:released"),
                row(
                        "throws",
                        isAsync,
                        throwing(new IllegalStateException("odd")),
                        IllegalStateException.class,
                        "lock:released"),
                row(
                        "throws an error",
                        isAsync,
                        throwing(new AssertionError("odd")),
                        AssertionError.class,
                        "lock:released"),
                row("is interrupted", isAsync, test -> Thread.currentThread().interrupt(), none, "lock:released"),
                row(
                        "lets its lease run out",
                        isAsync,
                        ProjectLockScopedEndTest::loseByTime,
                        LeaseLostException.class,
                        "lock:lost",
                        "lock:released"),
                row(
                        "has its lease taken",
                        isAsync,
                        ProjectLockScopedEndTest::loseToAnother,
                        LeaseLostException.class,
                        "lock:lost",
                        "lock:released"),
                row(
                        "cannot be renewed",
                        isAsync,
                        ProjectLockScopedEndTest::loseForGood,
                        LeaseLostException.class,
                        "lock:lost",
                        "lock:error",
                        "lock:cleanup-warning"),
                row(
                        "loses the client",
                        isAsync,
                        test -> test.opened.get(0).close(),
                        LeaseLostException.class,
                        "lock:lost",
                        "lock:released"),
                row(
                        "cannot delete the file",
                        isAsync,
                        test -> test.failWhen(DiskStep.DELETE, test.lockFile, broken()),
                        none,
                        "lock:cleanup-warning"));
    }

    private static Arguments row(
            String what, boolean isAsync, Consumer<ProjectLockScopedEndTest> work, Class<?> thrown, String... end) {
        return Arguments.of(what, isAsync, work, thrown, List.of(end));
    }

    private static Consumer<ProjectLockScopedEndTest> throwing(Throwable failure) {
        return test -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        };
    }

    @ParameterizedTest(name = "work that {0}, asynchronous: {1}, throws {3} and ends in {4}")
    @MethodSource("works")
    void scopeAlwaysEndsInReleasedOrCleanupWarning(
            String what, boolean isAsync, Consumer<ProjectLockScopedEndTest> work, Class<?> thrown, List<String> end) {
        ProjectLocks locks = openFallback();
        List<String> values = new ArrayList<>();
        Throwable caught = catchThrowable(() -> {
            values.add(
                    isAsync
                            ? doAsync(locks, work)
                            : locks.with(lease -> {
                                work.accept(this);
                                return "saved";
                            }));
        });
        assertThat(Thread.interrupted()).isEqualTo(what.equals("is interrupted"));
        if (thrown == null) {
            assertThat(caught).isNull();
            assertThat(values).containsExactly("saved");
        } else {
            assertThat(caught).isInstanceOf(thrown);
        }
        assertEnd(end);
    }

    private String doAsync(ProjectLocks locks, Consumer<ProjectLockScopedEndTest> work) throws Throwable {
        CompletableFuture<String> result = locks.withAsync(lease -> {
            work.accept(this);
            return CompletableFuture.completedFuture("saved");
        });
        assertThat(result).isDone();
        return valueOf(result);
    }

    private String valueOf(CompletableFuture<String> result) throws Throwable {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void stageThatFailsEndsInReleased() {
        IOException failure = broken();
        CompletableFuture<String> result = openFallback().withAsync(lease -> CompletableFuture.failedFuture(failure));
        assertThatThrownBy(() -> valueOf(result)).isSameAs(failure);
        assertEnd(List.of("lock:released"));
    }

    @Test
    void stageThatIsCompletedLaterEndsInReleasedThen() throws Throwable {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = openFallback().withAsync(lease -> stage);
        time.advance(Duration.ofSeconds(25));
        assertThat(told()).containsExactly("lock:acquired", "lock:renewed");
        stage.complete("saved");
        assertThat(valueOf(result)).isEqualTo("saved");
        assertThat(told()).containsExactly("lock:acquired", "lock:renewed", "lock:released");
    }

    @Test
    void stageThatIsCompletedAfterALossEndsInReleasedThen() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = openFallback().withAsync(lease -> stage);
        loseByTime();
        assertEnd(List.of("lock:lost"));
        stage.complete("saved");
        assertThatThrownBy(() -> valueOf(result)).isInstanceOf(LeaseLostException.class);
        assertEnd(List.of("lock:lost", "lock:released"));
    }

    private void assertEnd(List<String> end) {
        assertThat(told())
                .filteredOn(type -> !type.equals("lock:retry") && !type.equals("lock:at-risk"))
                .startsWith("lock:acquired")
                .containsSubsequence(end)
                .hasSize(1 + end.size());
    }

    private void loseByTime() {
        failWhen(DiskStep.MOVE, lockFile, broken());
        time.advance(TTL);
        trouble = Disk.Probe.NONE;
    }

    private void loseToAnother() {
        LeaseStore other = store();
        other.acquire(Requests.request(Scope.HISTORY.key())); // Decides for the fallback.
        other.release(ReleaseRequest.of(
                other.find(Scope.AUTOSAVE.key()).orElseThrow().record().ref()));
        other.acquire(Requests.request(Scope.AUTOSAVE.key()));
        time.advance(Duration.ofSeconds(20));
    }

    private void loseForGood() {
        trouble = (step, path) -> {
            if (step == DiskStep.MOVE || (step == DiskStep.DELETE && path.equals(lockFile))) {
                throw new AccessDeniedException(path.toString());
            }
        };
        time.advance(Duration.ofSeconds(20));
    }
}
