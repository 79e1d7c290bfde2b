package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Fence;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fence guard")
class FenceGuardTest {
    private final FenceGuard guard = new FenceGuard();

    @Test
    @DisplayName("F09 refuses older fences, and lets equal and newer ones in")
    void olderIsRefused() {
        assertThat(guard.admits(Fence.of(7))).isTrue();
        assertThat(guard.admits(Fence.of(7))).isTrue();
        assertThat(guard.admits(Fence.of(6))).isFalse();
        assertThat(guard.admits(Fence.of(8))).isTrue();
        assertThat(guard.admits(Fence.of(7))).isFalse();
    }

    @Test
    @DisplayName("F10 lets an old holder in until the new one has shown its fence, so that one shows it first")
    void touchFirst() {
        List<String> changes = new ArrayList<>();
        assertThat(guard.change(Fence.of(1), () -> changes.add("old"))).isTrue();
        assertThat(guard.change(Fence.of(1), () -> changes.add("old, though a newer lease was granted")))
                .isTrue();
        assertThat(guard.admits(Fence.of(2))).isTrue();
        assertThat(guard.change(Fence.of(1), () -> changes.add("too late"))).isFalse();
        assertThat(changes).hasSize(2);
    }

    @Test
    @DisplayName("passes on what a change throws, and counts its fence as seen")
    void failingChange() {
        assertThatThrownBy(() -> guard.change(Fence.of(3), () -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);
        assertThat(guard.admits(Fence.of(2))).isFalse();
    }
}
