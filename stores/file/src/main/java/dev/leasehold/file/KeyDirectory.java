package dev.leasehold.file;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key. The highest is the present state; to change it is to add the next, which only one can do.
 *
 * <p>No lock is involved. What makes this safe:
 *
 * <ul>
 *   <li>A version is complete on the disk under another name before it is linked to its own, and a link fails if the
 *       name is taken. So of all who saw version n, one makes version n+1.
 *   <li>Old versions are deleted in ascending order, the highest {@value #KEPT} never. One who saw version n, was
 *       stopped, and finds the name n+1 free again because it was used and deleted meanwhile, finds version n deleted
 *       too. Hence the check after the link: version n, known by its tag, is still there, or the link was in vain.
 *   <li>A vain link is below the highest version, so nobody takes it for the state, and its maker deletes it, or
 *       whoever next cleans up. One who made a version, and was then overtaken so often that version n is deleted,
 *       finds its own tag among the ancestors of the highest; beyond {@value Version#MEMORY} versions it cannot tell,
 *       and says so.
 *   <li>The directory appears complete with its first version by a rename, which fails if there is one that is not
 *       empty. It disappears only after a version that says so, and when it is empty. Each life of it has names of its
 *       own, so what was meant for one life does nothing to another.
 *   <li>A state is believed only if it is the first of a life or follows the version before it by tag. What one who
 *       was stopped throughout a purge linked into the emptied directory is thus known for what it is.
 * </ul>
 *
 * <p>Safe for many threads; it has no state but the path.
 */
final class KeyDirectory {
    /** How many versions are kept. Three would do for safety; see above. */
    static final int KEPT = 4;

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}");

    /** A version was linked, and so many followed that nobody can tell whether it was ever the state. */
    static final class OvertakenException extends StoreUnavailableException {
        private static final long serialVersionUID = 1L;

        OvertakenException(String message) {
            super(message);
        }
    }

    private final Path path;
    private final Supplier<Path> temps;
    private final Disk disk;

    /** @param temps names in the same file system that nobody uses */
    KeyDirectory(Path path, Supplier<Path> temps, Disk disk) {
        this.path = path;
        this.temps = temps;
        this.disk = disk;
    }

    /**
     * A name for the key's directory. No file system takes two of these for one, whatever it thinks of case, blanks,
     * accents and slashes.
     */
    static String nameFor(Key key) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key.utf8()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    /** Whether some key's directory may have this name. */
    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * What is there.
     *
     * @param current the present state; {@code null} if there is none
     * @param names all that was found
     * @param isPurged whether what was found is of a life that ended as it should
     */
    record Sight(@Nullable Version current, SortedSet<VersionName> names, boolean isPurged) {
        static final Sight NOTHING = new Sight(null, Collections.emptySortedSet(), false);

        boolean isClear() {
            return current != null || names.isEmpty();
        }
    }

    /** Finds the present state: one of those that were present during this call. */
    Sight look(Patience patience) throws IOException {
        Sight before = null;
        while (true) {
            Sight sight = lookOnce();
            if (sight != null && (sight.isClear() || sight.equals(before))) {
                check(sight);
                return sight;
            }
            // Others may have gone on between the list and the read. Only remains that are seen twice are remains.
            before = sight;
            if (patience.isOver()) {
                throw new StoreUnavailableException(
                        "The files in " + path + " kept changing for " + Patience.LIMIT.toSeconds() + " s.");
            }
        }
    }

    /** Adds the version that follows the present one; {@code false} if somebody else did. */
    boolean append(Sight sight, Version next) throws IOException {
        VersionName name = VersionName.of(next);
        Path temp = temps.get();
        disk.write(temp, next.toBytes());
        try {
            if (!disk.link(temp, path.resolve(name.toString()))) {
                return false;
            }
        } catch (NoSuchFileException e) {
            // The directory was removed, or the temporary file was swept as a dead process's.
            return false;
        } finally {
            disk.discard(temp);
        }
        if (!next.follows(read(name.previous()))) {
            try {
                return isBuiltUpon(next);
            } finally {
                disk.discard(path.resolve(name.toString()));
            }
        }
        disk.forceDirectory(path);
        delete(sight.names().stream()
                .filter(old -> !old.life().equals(next.life()) || old.number() <= next.number() - KEPT)
                .toList());
        return true;
    }

    /** Whether a version, whose previous one is gone, was the state for a while all the same. */
    private boolean isBuiltUpon(Version version) throws IOException {
        VersionName top = null;
        for (VersionName name : names()) {
            top = name.life().equals(version.life()) ? name : top;
        }
        Version newest = top == null ? null : read(top);
        if (newest == null || newest.number() - version.number() > Version.MEMORY) {
            throw new OvertakenException("Others changed the record in " + path + " so often meanwhile that nobody can"
                    + " tell whether this change came before theirs or not at all: key " + version.key() + ".");
        }
        return newest.ancestors().contains(version.tag());
    }

    /** Makes the directory with its first version; {@code false} if somebody else did. */
    boolean create(Sight sight, Version first) throws IOException {
        remove(sight.names());
        Path shard = Objects.requireNonNull(path.getParent());
        disk.makeLastDirectory(shard);
        Path temp = temps.get();
        Path file = temp.resolve(VersionName.of(first).toString());
        try {
            disk.makeDirectory(temp);
            disk.write(file, first.toBytes());
            disk.forceDirectory(temp);
            disk.move(temp, path);
        } catch (FileSystemException e) {
            if (disk.exists(path)) {
                return false;
            }
            throw e;
        } finally {
            disk.discard(file);
            disk.discard(temp);
        }
        disk.forceDirectory(shard);
        return true;
    }

    /**
     * Drops the record: nothing can follow, and the files go. {@code false} if another caller changed it first, or if the
     * directory has a file that is not the store's: the directory could not go, and no new one take its place.
     */
    boolean purge(Sight sight) throws IOException {
        for (String name : disk.list(path, "")) {
            if (VersionName.parse(name) == null) {
                return false;
            }
        }
        Version last = Objects.requireNonNull(sight.current()).last();
        if (!append(sight, last)) {
            return false;
        }
        SortedSet<VersionName> names = new TreeSet<>(sight.names());
        names.add(VersionName.of(last));
        remove(names);
        return true;
    }

    /** Removes what is left of a life that is over, and the directory if nothing else is in it. */
    void remove(SortedSet<VersionName> remains) throws IOException {
        if (delete(remains) && disk.exists(path)) {
            disk.delete(path);
        }
    }

    /** {@code null} if a file vanished meanwhile. */
    private @Nullable Sight lookOnce() throws IOException {
        SortedSet<VersionName> names = names();
        if (names.isEmpty()) {
            return Sight.NOTHING;
        }
        Map<String, VersionName> tops = new TreeMap<>();
        names.forEach(name -> tops.put(name.life(), name));
        boolean isPurged = false;
        for (VersionName listed : tops.values()) {
            VersionName top = listed;
            while (disk.exists(path.resolve(top.next().toString()))) {
                top = top.next();
                names.add(top);
            }
            Version version = read(top);
            if (version == null) {
                return null;
            }
            if (version.isLast()) {
                isPurged = true;
            } else if (isRooted(version)) {
                return new Sight(version, names, false);
            }
        }
        return new Sight(null, names, isPurged);
    }

    private boolean isRooted(Version version) throws IOException {
        return version.isFirst() || version.follows(read(VersionName.of(version).previous()));
    }

    private void check(Sight sight) throws IOException {
        Version current = sight.current();
        if (current != null && !path.endsWith(nameFor(current.key()))) {
            throw new StoreException("The files in " + path + " belong to the key " + current.key()
                    + ", which has another directory. Somebody moved them; move them back.");
        }
        if (current == null && !sight.isPurged()) {
            for (VersionName name : sight.names()) {
                Version version = read(name);
                if (version != null && isRooted(version)) {
                    throw new StoreException("A file is missing in " + path + ": " + name + " was the state once, but"
                            + " what follows it does not fit. Somebody deleted files by hand. " + Version.ADVICE);
                }
            }
        }
    }

    private SortedSet<VersionName> names() throws IOException {
        SortedSet<VersionName> names = new TreeSet<>();
        for (String name : disk.list(path, "v")) {
            VersionName parsed = VersionName.parse(name);
            if (parsed != null) {
                names.add(parsed);
            }
        }
        return names;
    }

    private @Nullable Version read(VersionName name) throws IOException {
        Path file = path.resolve(name.toString());
        byte[] bytes = disk.read(file);
        return bytes == null ? null : Version.parse(file, bytes);
    }

    /** Whether all went, one after the other. Where one cannot be deleted, those after it must stay. */
    private boolean delete(Collection<VersionName> ascending) {
        try {
            for (VersionName name : ascending) {
                disk.delete(path.resolve(name.toString()));
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
