package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("part-of:LOCK-7")
@DisplayName("Project locks: a folder that is renamed while it is locked")
class ProjectLockRenamedTest extends ProjectLocksFixture {
    private Path renameProject() throws IOException {
        return Files.move(project, project.resolveSibling("renamed"));
    }

    private ProjectLocks openAt(Path folder) {
        return open(ProjectLocks.store(folder, machine()), time);
    }

    @Test
    void canBeLockedAgainOnceItsHolderIsDone() throws IOException {
        Lease first = take(open());
        ProjectLocks renamed = openAt(renameProject());
        assertThat(isRefused(renamed, Scope.AUTOSAVE)).isTrue();
        first.release();
        assertThat(take(renamed).fence()).isGreaterThan(first.fence());
    }

    @Test
    void canBeLockedAgainOnceItsHolderIsToldOfTheLoss() throws IOException {
        Lease first = take(open());
        Lease history = take(opened.get(0), Scope.HISTORY);
        Path folder = renameProject();
        Files.createDirectory(project);
        assertThatThrownBy(first::renew).isInstanceOf(LeaseLostException.class);
        ProjectLocks renamed = openAt(folder);
        assertThat(take(renamed).fence()).isGreaterThan(first.fence());
        assertThat(isRefused(renamed, Scope.HISTORY)).isTrue();
        assertThat(history.isValid()).isTrue();
    }
}
