package dev.leasehold.file;

import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
 * link to {@code <file>.<tag of the content>}, which says whose claim it is. Then it reads the file again, and if the
 * tag is still that one, changes the file, and deletes the claim. Why this is safe:
 *
 * <ul>
 *   <li>Tags never recur. Content with tag t is only ever changed by the one whose claim of t exists; whoever links a
 *       claim of t later, when t is over, reads the file again, finds another tag and gives up.
 *   <li>A claim of t is deleted by its maker, and by others only when t is known to be over: they hold the claim of the
 *       present content, or saw the claim before they saw that there is no file.
 *   <li>Where the process of a claim is provably dead, another may claim t in its place, at the next free name
 *       {@code <file>.<tag>.1}, {@code .2} and so on; each of these exclusive again. If nothing can be proved, the
 *       process is given {@link #GRACE} between two steps that are microseconds apart; only a process of another host
 *       or process namespace that was stopped just there, and for longer than that, could then do harm.
 * </ul>
 *
 * <p>No operating-system lock is used, because this is what is left where there are none. Safe for many threads.
 */
final class LockFile {
    static final Duration GRACE = Duration.ofMinutes(1);

    private final Path path;
    private final Path parent;
    private final Machine machine;
    private final Disk disk;
    private final boolean isLocal;
    private final Pattern claimName;
    private final Pattern tempName;
    private final Queue<Path> undeleted = new ConcurrentLinkedQueue<>();

    /** @param isLocal whether only this host uses the file */
    LockFile(Path path, Machine machine, boolean isLocal) {
        this.path = path;
        this.parent = Objects.requireNonNull(path.getParent());
        this.machine = machine;
        this.disk = machine.disk();
        this.isLocal = isLocal;
        String name = Pattern.quote(path.getFileName().toString());
        this.claimName = Pattern.compile(name + "\\.[0-9a-f]{32}(\\.\\d+)?");
        this.tempName = Pattern.compile(name + "\\.new-(\\d+)-[0-9a-f]{32}");
    }

    /** What the file says; {@code null} if there is none. */
    @Nullable
    LockContent read() throws IOException {
        byte[] bytes = disk.read(path);
        try {
            return bytes == null ? null : LockContent.parse(path, bytes);
        } catch (StoreException e) {
            byte[] again = disk.read(path);
            if (Arrays.equals(bytes, again)) {
                throw e;
            }
            // It was just being written in place; see leave.
            return again == null ? null : LockContent.parse(path, again);
        }
    }

    /** Makes the file; {@code false} if it is there. */
    boolean create(LockContent first) throws IOException {
        List<Path> before = siblings();
        if (disk.exists(path)) {
            return false;
        }
        sweep(before, List.of());
        Path temp = temp();
        disk.write(temp, first.toBytes());
        try {
            if (!link(temp, path)) {
                return false;
            }
        } catch (NoSuchFileException e) {
            return false;
        } finally {
            disk.discard(temp);
        }
        disk.forceDirectory(parent);
        return true;
    }

    /**
     * Puts other content in the place of the present one.
     *
     * @return {@code false} if the content is another by now, or another caller is changing it
     */
    boolean replace(LockContent present, LockContent next) throws IOException {
        return change(present, () -> put(next));
    }

    /**
     * Deletes the file. If it cannot be deleted, leaves other content in it, in its place by a move or else inside the
     * file, so that the next process that reads it sees that the lease is over. Throws what the deletion threw.
     *
     * @param otherwise what to leave in the file then; {@code null} for what it has
     * @return {@code false} if the content is another by now, or another caller is changing it
     */
    boolean delete(LockContent present, @Nullable LockContent otherwise) throws IOException {
        return change(present, () -> {
            try {
                disk.delete(path);
                return true;
            } catch (IOException e) {
                leave(otherwise, e);
                throw e;
            }
        });
    }

    private void leave(@Nullable LockContent content, IOException cause) {
        if (content == null) {
            return;
        }
        try {
            if (put(content)) {
                disk.forceDirectory(parent);
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
            leaveInPlace(content, cause);
        }
    }

    /** A program that keeps a name from being deleted, such as one that has the file open, may leave the content to all. */
    private void leaveInPlace(LockContent content, IOException cause) {
        try {
            disk.overwrite(path, content.toBytes());
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** One step on the file; returns {@code false} if the file or its directory is gone. */
    private interface Step {
        boolean apply() throws IOException;
    }

    private boolean change(LockContent present, Step step) throws IOException {
        retryDeletions();
        List<Path> claims = claim(present.tag());
        if (claims.isEmpty()) {
            return false;
        }
        boolean isChanged = false;
        try {
            isChanged = changeAlone(present, step, claims);
            return isChanged;
        } finally {
            // The claims of the dead are needed until the content is another.
            (isChanged ? claims : claims.subList(claims.size() - 1, claims.size())).forEach(this::giveUp);
        }
    }

    private boolean changeAlone(LockContent present, Step step, List<Path> claims) throws IOException {
        LockContent found = read();
        if (found == null || !found.tag().equals(present.tag())) {
            return false;
        }
        sweep(siblings(), claims);
        if (!step.apply()) {
            return false;
        }
        disk.forceDirectory(parent);
        return true;
    }

    private boolean put(LockContent next) throws IOException {
        Path temp = temp();
        disk.write(temp, next.toBytes());
        try {
            disk.move(temp, path);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } finally {
            disk.discard(temp);
        }
    }

    /** The claims of the dead, and last our own; none if somebody else is at it. */
    private List<Path> claim(String contentTag) throws IOException {
        List<Path> claims = new ArrayList<>();
        Path name = path.resolveSibling(path.getFileName() + "." + contentTag);
        while (true) {
            byte[] bytes = disk.read(name);
            if (bytes == null) {
                claims.add(name);
                return linkClaim(name) ? claims : List.of();
            }
            if (!isDead(Claim.parse(name, bytes), name)) {
                return List.of();
            }
            claims.add(name);
            name = path.resolveSibling(path.getFileName() + "." + contentTag + "." + claims.size());
        }
    }

    private boolean linkClaim(Path name) throws IOException {
        Path temp = temp();
        disk.writeUnforced(temp, new Claim(machine.processes().self()).toBytes());
        try {
            return link(temp, name);
        } catch (NoSuchFileException e) {
            return false;
        } finally {
            disk.discard(temp);
        }
    }

    private boolean isDead(Claim claim, Path name) throws IOException {
        ProcessMark process = claim.process();
        Fate fate = process == null ? Fate.UNKNOWN : machine.processes().fateOf(process, isLocal);
        return fate == Fate.GONE || (fate == Fate.UNKNOWN && isOlderThanGrace(name));
    }

    /** By the file system's own clock. */
    private boolean isOlderThanGrace(Path name) throws IOException {
        Path justNow = temp();
        disk.writeUnforced(justNow, new byte[0]);
        try {
            Duration age = Duration.between(
                    Files.getLastModifiedTime(name).toInstant(),
                    Files.getLastModifiedTime(justNow).toInstant());
            return age.compareTo(GRACE) > 0;
        } catch (NoSuchFileException e) {
            return false;
        } finally {
            disk.discard(justNow);
        }
    }

    private void giveUp(Path claim) {
        try {
            disk.delete(claim);
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
            return disk.link(existing, name);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            Path scratch = temp();
            throw IoFailure.orUnsupported(
                    "The file system of " + path + " has no hard links, which a lock file needs. Use a file on another"
                            + " one.",
                    "link " + name,
                    e,
                    disk,
                    scratch,
                    () -> disk.tryLink(scratch, temp()));
        }
    }

    private List<Path> siblings() throws IOException {
        List<Path> siblings = new ArrayList<>();
        for (String name : disk.list(parent, path.getFileName() + ".")) {
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
                disk.discard(sibling);
            }
        }
    }

    private Path temp() {
        return path.resolveSibling(
                path.getFileName() + ".new-" + ProcessHandle.current().pid() + "-" + Machine.newTag());
    }
}
