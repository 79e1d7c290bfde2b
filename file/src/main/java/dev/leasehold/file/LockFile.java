package dev.leasehold.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One visible file that is made, replaced and deleted so that nobody ever undoes what another did.
 *
 * <p>Making it is an exclusive link to a complete temporary file. But to replace or delete a file by name is to do so
 * whatever it has become meanwhile, so who wants that must be alone. It first claims the content it saw: an exclusive
 * link to {@code <file>.<tag of the content>}, which says which process claims. Then it reads the file again, and if
 * the tag is still that one, changes it, and deletes the claim. Why this is safe:
 *
 * <ul>
 *   <li>Tags never recur. Content with tag t is only ever changed by the one whose claim of t exists; whoever links a
 *       claim of t later, when t is over, reads the file again, finds another tag and gives up.
 *   <li>A claim of t is deleted by its maker, or by others only when t is known to be over: they hold a claim of the
 *       present content, or saw the claim before they saw that there is no file.
 *   <li>A claim whose process is provably dead is taken over by claiming the claim, by its own tag. If nothing can be
 *       proved of the process, it is given {@link #GRACE} between two steps that are microseconds apart; only a
 *       process of another host or process namespace that was stopped just there, for longer than that, could then do
 *       harm.
 * </ul>
 *
 * <p>No operating-system lock is used, because this is what is left where there are none. Safe for many threads.
 */
final class LockFile {
    static final Duration GRACE = Duration.ofMinutes(1);

    private final Path path;
    private final Path parent;
    private final Machine machine;
    private final boolean isLocal;
    private final Pattern claimName;
    private final Pattern tempName;
    private final Queue<Path> undeleted = new ConcurrentLinkedQueue<>();

    LockFile(Path path, Machine machine) {
        this.path = path;
        this.parent = Objects.requireNonNull(path.getParent());
        this.machine = machine;
        this.isLocal = machine.kinds().apply(parent) == FileSystemKind.LOCAL;
        String name = Pattern.quote(path.getFileName().toString());
        this.claimName = Pattern.compile(name + "\\.([0-9a-f]{32})");
        this.tempName = Pattern.compile(name + "\\.new-(\\d+)-[0-9a-f]{32}");
    }

    /** What the file says; {@code null} if there is none. */
    @Nullable
    LockContent read() throws IOException {
        byte[] bytes = machine.disk().read(path);
        return bytes == null ? null : LockContent.parse(path, bytes);
    }

    /** Makes the file; {@code false} if it is there. */
    boolean create(LockContent first) throws IOException {
        List<Path> before = siblings();
        if (machine.disk().exists(path)) {
            return false;
        }
        sweep(before, List.of());
        Path temp = temp();
        machine.disk().write(temp, first.toBytes());
        try {
            if (!link(temp, path)) {
                return false;
            }
        } catch (NoSuchFileException e) {
            return false;
        } finally {
            machine.disk().discard(temp);
        }
        machine.disk().forceDirectory(parent);
        return true;
    }

    /**
     * Puts other content in the place of the present one, or deletes the file if there is none.
     *
     * @return {@code false} if the content is another by now, or somebody else is changing it
     */
    boolean replace(LockContent present, @Nullable LockContent next) throws IOException {
        retryDeletions();
        Path temp = temp();
        if (next != null) {
            machine.disk().write(temp, next.toBytes());
        }
        try {
            List<Path> claims = claim(present.tag());
            if (claims.isEmpty()) {
                return false;
            }
            boolean isChanged = false;
            try {
                isChanged = changeAlone(present, next, temp, claims);
                return isChanged;
            } finally {
                // The claims of the dead are needed until the content is another.
                (isChanged ? claims : claims.subList(claims.size() - 1, claims.size())).forEach(this::giveUp);
            }
        } finally {
            if (next != null) {
                machine.disk().discard(temp);
            }
        }
    }

    private boolean changeAlone(LockContent present, @Nullable LockContent next, Path temp, List<Path> claims)
            throws IOException {
        LockContent found = read();
        if (found == null || !found.tag().equals(present.tag())) {
            return false;
        }
        sweep(siblings(), claims);
        if (next == null) {
            machine.disk().delete(path);
        } else {
            machine.disk().move(temp, path);
        }
        machine.disk().forceDirectory(parent);
        return true;
    }

    /** The claims of the dead, and last our own; none if somebody else is at it, or was a moment ago. */
    private List<Path> claim(String contentTag) throws IOException {
        Path temp = temp();
        machine.disk()
                .write(temp, new Claim(Machine.newTag(), machine.processes().self()).toBytes());
        try {
            List<Path> claims = new ArrayList<>();
            String tag = contentTag;
            while (true) {
                Path name = parent.resolve(path.getFileName() + "." + tag);
                claims.add(name);
                if (link(temp, name)) {
                    return claims;
                }
                byte[] bytes = machine.disk().read(name);
                if (bytes == null) {
                    return List.of();
                }
                Claim other = Claim.parse(name, bytes);
                if (!isDead(other, name, temp)) {
                    return List.of();
                }
                tag = other.tag();
            }
        } catch (NoSuchFileException e) {
            return List.of();
        } finally {
            machine.disk().discard(temp);
        }
    }

    private void giveUp(Path claim) {
        try {
            machine.disk().delete(claim);
        } catch (IOException e) {
            // As long as this process lives, nobody else will do it.
            undeleted.add(claim);
        }
    }

    private void retryDeletions() {
        for (int rest = undeleted.size(); rest > 0; rest--) {
            Path claim = undeleted.poll();
            if (claim != null) {
                giveUp(claim);
            }
        }
    }

    private boolean link(Path existing, Path name) throws IOException {
        try {
            return machine.disk().link(existing, name);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            throw IoFailure.orUnsupported(
                    "The file system of " + path + " has no hard links, which a lock file needs. Use a file on another"
                            + " one.",
                    "link " + name,
                    e);
        }
    }

    private boolean isDead(Claim claim, Path name, Path justWritten) throws IOException {
        ProcessMark process = claim.process();
        Fate fate = process == null ? Fate.UNKNOWN : machine.processes().fateOf(process, isLocal);
        if (fate != Fate.UNKNOWN) {
            return fate == Fate.GONE;
        }
        // Both times are the file system's own.
        Duration age = Duration.between(
                Files.getLastModifiedTime(name).toInstant(),
                Files.getLastModifiedTime(justWritten).toInstant());
        return age.compareTo(GRACE) > 0;
    }

    private List<Path> siblings() throws IOException {
        List<Path> siblings = new ArrayList<>();
        for (String name : machine.disk().list(parent, "*")) {
            if (claimName.matcher(name).matches() || tempName.matcher(name).matches()) {
                siblings.add(parent.resolve(name));
            }
        }
        return siblings;
    }

    /** Deletes claims of what is over, and what dead processes were writing. */
    private void sweep(List<Path> siblings, List<Path> inUse) {
        for (Path sibling : siblings) {
            Matcher temp = tempName.matcher(sibling.getFileName().toString());
            boolean isInUse =
                    temp.matches() ? machine.processes().sees(Long.parseLong(temp.group(1))) : inUse.contains(sibling);
            if (!isInUse) {
                machine.disk().discard(sibling);
            }
        }
    }

    private Path temp() {
        return parent.resolve(
                path.getFileName() + ".new-" + ProcessHandle.current().pid() + "-" + Machine.newTag());
    }
}
