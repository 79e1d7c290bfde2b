package dev.leasehold.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How to run s3proxy, which keeps each bucket as a directory and each object as a file. */
final class S3Program extends JavaProgram {
    static final String USER = "leasehold";

    private static final int HEAP_MEGABYTES = 256;
    private static final int FORBIDDEN = 403;

    private final String password;

    S3Program(String password) {
        super("s3", HEAP_MEGABYTES);
        this.password = password;
    }

    static Path buckets(Path data) {
        return data.resolve("buckets");
    }

    @Override
    void prepare(Path data) throws IOException {
        Files.createDirectory(buckets(data));
        Files.writeString(data.resolve("s3proxy.properties"), """
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                s3proxy.ignore-unknown-headers=true
                jclouds.provider=filesystem
                jclouds.identity=unused
                jclouds.credential=unused
                """.formatted(USER, password));
    }

    @Override
    List<String> mainClass(Path data, int port) {
        return List.of(
                "-DLOG_LEVEL=warn",
                "-Ds3proxy.endpoint=http://127.0.0.1:" + port,
                "-Djclouds.filesystem.basedir=" + buckets(data),
                "org.gaul.s3proxy.Main",
                "--properties",
                data.resolve("s3proxy.properties").toString());
    }

    /** Who shows no signature is refused. */
    @Override
    boolean answers(Path data, int port) throws IOException {
        return status(port, "/") == FORBIDDEN;
    }
}
