package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The cache")
class CacheTest {
    @TempDir
    private Path place;

    @Test
    @DisplayName("makes a directory once")
    void makesOnce() throws IOException {
        Path first = new Cache(place).directory("thing", draft -> Files.writeString(draft.resolve("file"), "first"));
        Path second = new Cache(place).directory("thing", draft -> {
            throw new IOException("not needed");
        });
        assertThat(second).isEqualTo(first);
        assertThat(first.resolve("file")).hasContent("first");
    }

    @Test
    @DisplayName("keeps the first of two that are made at the same time, whole, and no draft")
    void racingMakers() throws IOException {
        Path directory = new Cache(place).directory("thing", slow -> {
            new Cache(place).directory("thing", fast -> Files.writeString(fast.resolve("fast"), "whole"));
            Files.writeString(slow.resolve("slow"), "late");
        });
        assertThat(directory.resolve("fast")).hasContent("whole");
        assertThat(directory.resolve("slow")).doesNotExist();
        assertThat(place).isDirectoryNotContaining("glob:**draft-*");
    }

    @Test
    @DisplayName("keeps nothing of one that failed, and tries again")
    void failingMaker() throws IOException {
        Cache cache = new Cache(place);
        assertThatThrownBy(() -> cache.directory("thing", draft -> {
                    Files.writeString(draft.resolve("half"), "half");
                    throw new IOException("disk full");
                }))
                .hasRootCauseMessage("disk full");
        assertThat(place).isEmptyDirectory();
        assertThat(cache.directory("thing", draft -> Files.writeString(draft.resolve("file"), "whole")))
                .isDirectoryContaining("glob:**file");
    }
}
