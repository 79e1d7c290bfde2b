package dev.leasehold.moc;

import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;

/** Compares what was uploaded with what was declared. */
final class FileVerifier {
    private final ObjectStore objects;

    FileVerifier(ObjectStore objects) {
        this.objects = objects;
    }

    /**
     * Returns if all files are there, with the size and bytes that were declared.
     *
     * @param check called before each file; what it throws ends the work
     */
    void verify(UUID moc, List<MocFile> files, Runnable check) {
        for (MocFile file : files) {
            check.run();
            ObjectStore.Stored stored = objects.find(file.key(moc)).orElseThrow(() -> missing(file));
            String sha256 = stored.sha256();
            if (sha256 == null && stored.size() == file.size()) {
                sha256 = objects.hash(file.key(moc)).orElseThrow(() -> missing(file));
            }
            if (stored.size() != file.size() || !file.sha256().equals(sha256)) {
                throw Problems.of(
                        HttpStatus.UNPROCESSABLE_CONTENT,
                        "file-differs",
                        "File " + file.position() + " is not the one that was declared. Declare the MOC anew.");
            }
        }
    }

    private static RuntimeException missing(MocFile file) {
        return Problems.of(
                HttpStatus.UNPROCESSABLE_CONTENT,
                "file-missing",
                "File " + file.position() + " was not uploaded. Upload it, and finalize again.");
    }
}
