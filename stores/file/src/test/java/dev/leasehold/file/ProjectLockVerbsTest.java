package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.ReleaseOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("part-of:LOCK-1")
@DisplayName("Project locks: acquire, renew, release, and the scoped forms")
class ProjectLockVerbsTest extends ProjectLocksFixture {
    @Test
    void leaseOfThePrimaryHasAllItsFieldsAndNeverExpires() {
        ProjectLocks locks = open();
        Lease lease = take(locks);
        assertThat(UUID.fromString(lease.id())).hasToString(lease.id());
        assertThat(lease.backend()).isEqualTo("os-lock");
        assertThat(lease.key()).hasToString("autosave");
        assertThat(lease.acquiredAt()).isEqualTo(now());
        time.advance(Duration.ofDays(3));
        assertThat(lease.renew()).isEqualTo(Instant.MAX);
        assertThat(lease.renew(TTL)).isEqualTo(Instant.MAX);
        assertThat(lease.expiresAt()).isEqualTo(Instant.MAX);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        Lease next = take(locks, Scope.HISTORY);
        assertThat(next.key()).hasToString("history");
        assertThat(next.id()).isNotEqualTo(lease.id());
    }

    @Test
    void leaseOfTheFallbackHasAllItsFieldsAndIsRenewedAlsoWithAnotherTtl() {
        Lease lease = take(openFallback());
        assertThat(UUID.fromString(lease.id())).hasToString(lease.id());
        assertThat(lease.backend()).isEqualTo("lock-file");
        assertThat(lease.acquiredAt()).isEqualTo(now());
        assertThat(expiryInFile()).isEqualTo(now().plus(TTL));
        // What the holder trusts ends a little earlier than what the others see.
        assertThat(lease.expiresAt()).isBetween(now().plusSeconds(29), now().plus(TTL));
        time.advance(Duration.ofSeconds(5));
        assertThat(lease.renew()).isBetween(now().plusSeconds(29), now().plus(TTL));
        assertThat(expiryInFile()).isEqualTo(now().plus(TTL));
        lease.renew(Duration.ofSeconds(60));
        assertThat(expiryInFile()).isEqualTo(now().plusSeconds(60));
        time.advance(Duration.ofSeconds(40));
        assertThat(expiryInFile()).isEqualTo(now().plusSeconds(60));
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(lockFile).doesNotExist();
    }

    @ParameterizedTest(name = "scopes are independent locks, on the fallback: {0}")
    @ValueSource(booleans = {false, true})
    void scopesAreIndependent(boolean isFallback) {
        hasNoLocks = isFallback;
        Lease autosave = take(open());
        ProjectLocks other = open();
        assertThat(isRefused(other, Scope.AUTOSAVE)).isTrue();
        Lease history = take(other, Scope.HISTORY);
        assertThat(isRefused(open(), Scope.HISTORY)).isTrue();
        autosave.release();
        assertThat(isRefused(open(), Scope.HISTORY)).isTrue();
        take(other, Scope.AUTOSAVE).release();
        time.advance(Duration.ofMinutes(5));
        assertThat(history.isValid()).isTrue();
    }

    @Test
    void autosaveIsTheDefaultScope() throws InterruptedException {
        ProjectLocks locks = open();
        assertThat(locks.acquire().orElseThrow().key()).isEqualTo(Scope.AUTOSAVE.key());
        opened.forEach(ProjectLocks::close);
        assertThat(open().acquireAsync().join().orElseThrow().key()).isEqualTo(Scope.AUTOSAVE.key());
        opened.forEach(ProjectLocks::close);
        assertThat(open().<String, RuntimeException>with(lease -> lease.key().toString()))
                .isEqualTo("autosave");
        assertThat(open().withAsync(lease -> CompletableFuture.completedFuture(lease.key()))
                        .join())
                .isEqualTo(Scope.AUTOSAVE.key());
    }

    @Test
    void scopeCanBeChosenAlone() throws Exception {
        ProjectLocks locks = open();
        locks.acquire(Scope.HISTORY).orElseThrow().release();
        locks.acquireAsync(Scope.HISTORY).join().orElseThrow().release();
        locks.with(Scope.HISTORY, Lease::isValid);
        locks.withAsync(Scope.HISTORY, lease -> CompletableFuture.completedFuture(lease.isValid()))
                .join();
        assertThat(events(LeaseEvent.Acquired.class)).hasSize(4);
        assertThat(events).allMatch(event -> event.source().scope().equals(Scope.HISTORY.key()));
    }

    @Test
    void asynchronousScopeReleasesWhenItsWorkIsOver() {
        ProjectLocks locks = open();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = locks.withAsync(lease -> work);
        assertThat(isRefused(open(), Scope.AUTOSAVE)).isTrue();
        work.complete("saved");
        assertThat(result).isCompletedWithValue("saved");
        take(open());
    }
}
