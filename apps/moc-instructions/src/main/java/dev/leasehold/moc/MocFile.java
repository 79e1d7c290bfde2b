package dev.leasehold.moc;

import java.util.Set;
import java.util.UUID;

/**
 * One file of a MOC, as its owner declared it before the upload.
 *
 * @param position its place in the list, from 0
 * @param size in bytes
 * @param sha256 in lower-case hexadecimal digits
 * @param isThumbnail whether the owner wants it to be the thumbnail
 */
record MocFile(int position, String name, long size, String contentType, String sha256, boolean isThumbnail) {
    private static final Set<String> READABLE = Set.of("image/jpeg", "image/png", "image/gif");

    /** The object that holds its bytes. */
    String key(UUID moc) {
        return "mocs/" + moc + "/file-" + position;
    }

    /** Whether a thumbnail can be made of such a file. */
    boolean isImage() {
        return READABLE.contains(contentType);
    }
}
