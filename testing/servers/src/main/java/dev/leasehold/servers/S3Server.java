package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/** A server for S3's protocol: s3proxy, on files. Needs the module {@code leasehold-s3-server} on the class path. */
public final class S3Server extends Server {
    private final Instance instance;
    private final String secretKey;

    private S3Server(Instance instance, String secretKey) {
        super(instance, "", false);
        this.instance = instance;
        this.secretKey = secretKey;
    }

    /** A server of one's own. */
    public static S3Server start() {
        String secretKey = Passwords.fresh();
        return new S3Server(Instance.start(new S3Program(secretKey)), secretKey);
    }

    /** A server whose objects stay in this directory, also after it is closed. */
    public static S3Server keeping(Path directory) {
        String secretKey = Passwords.keptIn(directory, Passwords.fresh());
        return new S3Server(Instance.startKeeping(new S3Program(secretKey), directory.resolve("data")), secretKey);
    }

    /** Where it is. Buckets are the first part of the path, not of the host. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + instance.port());
    }

    public String accessKey() {
        return S3Program.USER;
    }

    public String secretKey() {
        return secretKey;
    }

    /** Makes a bucket, unless there is one. */
    public void createBucket(String name) {
        try {
            Files.createDirectories(S3Program.buckets(instance.data()).resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Instant time() {
        return Instant.now(); // Its clock is this machine's.
    }
}
