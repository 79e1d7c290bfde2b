package dev.leasehold.moc;

import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.s3.presigner.model.PresignedPutObjectRequest;

/** The files' bytes and the thumbnails, in one bucket of S3. Safe for use by many threads. */
final class ObjectStore implements DisposableBean {
    static final Duration UPLOAD_LIFE = Duration.ofHours(1);

    private static final Duration ATTEMPT_LIMIT = Duration.ofSeconds(5);
    private static final Duration CALL_LIMIT = Duration.ofSeconds(20);
    private static final int NOT_FOUND = 404;
    private static final int PRECONDITION_FAILED = 412;

    private final String bucket;
    private final S3Client client;
    private final S3Presigner presigner;

    ObjectStore(Settings settings) {
        this.bucket = settings.bucket();
        String accessKey = settings.accessKey();
        AwsCredentialsProvider credentials = accessKey == null
                ? DefaultCredentialsProvider.builder().build()
                : StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(accessKey, Objects.requireNonNull(settings.secretKey())));
        Region region = Region.of(settings.s3Region());
        // The library tries each request three times.
        S3ClientBuilder builder = S3Client.builder()
                .region(region)
                .credentialsProvider(credentials)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(
                        limits -> limits.apiCallAttemptTimeout(ATTEMPT_LIMIT).apiCallTimeout(CALL_LIMIT));
        S3Presigner.Builder signing = S3Presigner.builder().region(region).credentialsProvider(credentials);
        if (settings.s3Endpoint() != null) {
            builder.endpointOverride(settings.s3Endpoint()).forcePathStyle(true);
            signing.endpointOverride(settings.s3Endpoint())
                    .serviceConfiguration(S3Configuration.builder()
                            .pathStyleAccessEnabled(true)
                            .build());
        }
        this.client = builder.build();
        this.presigner = signing.build();
    }

    /** S3 does not answer, or not as it should; the request may be sent again later. */
    static final class DownException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DownException(Throwable cause) {
            super("S3 does not answer as it should: " + cause.getMessage(), cause);
        }
    }

    /**
     * How to upload a file. S3 itself refuses other bytes, and a second upload of the same file.
     *
     * @param headers to be sent with PUT, all of them
     */
    record Upload(String url, Map<String, String> headers) {}

    /** Signs an upload of this file, and of no other bytes. */
    Upload upload(UUID moc, MocFile file) {
        PutObjectRequest request = PutObjectRequest.builder()
                .bucket(bucket)
                .key(file.key(moc))
                .contentType(file.contentType())
                .contentLength(file.size())
                .checksumSHA256(
                        Base64.getEncoder().encodeToString(HexFormat.of().parseHex(file.sha256())))
                .ifNoneMatch("*")
                .build();
        PresignedPutObjectRequest signed = presigner.presignPutObject(
                put -> put.signatureDuration(UPLOAD_LIFE).putObjectRequest(request));
        Map<String, String> headers = new TreeMap<>();
        signed.signedHeaders().forEach((name, values) -> headers.put(name, String.join(",", values)));
        headers.remove("host"); // Every client sends these two by itself.
        headers.remove("content-length");
        return new Upload(signed.url().toString(), headers);
    }

    /** What S3 knows of an object; the checksum may be missing. */
    record Stored(long size, @Nullable String sha256) {}

    Optional<Stored> find(String key) {
        return ask(() -> {
            HeadObjectResponse head =
                    client.headObject(request -> request.bucket(bucket).key(key).checksumMode(ChecksumMode.ENABLED));
            String checksum = head.checksumSHA256();
            // That of an upload in parts ends in "-" and their number, and is not that of the bytes.
            String sha256 = checksum == null || checksum.contains("-")
                    ? null
                    : HexFormat.of().formatHex(Base64.getDecoder().decode(checksum));
            return new Stored(head.contentLength(), sha256);
        });
    }

    /** The SHA-256 of an object's bytes, by reading them all. */
    Optional<String> hash(String key) {
        return ask(() -> {
            MessageDigest digest = sha256();
            try (InputStream bytes = new DigestInputStream(
                    client.getObject(request -> request.bucket(bucket).key(key)), digest)) {
                bytes.transferTo(java.io.OutputStream.nullOutputStream());
            }
            return HexFormat.of().formatHex(digest.digest());
        });
    }

    Optional<byte[]> read(String key) {
        return ask(
                () -> client.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                        .asByteArray());
    }

    /** Writes an object, unless there is one: then that one stays. */
    void writeOnce(String key, String contentType, byte[] bytes) {
        try {
            client.putObject(
                    request -> request.bucket(bucket)
                            .key(key)
                            .contentType(contentType)
                            .ifNoneMatch("*"),
                    RequestBody.fromBytes(bytes));
        } catch (S3Exception e) {
            if (e.statusCode() != PRECONDITION_FAILED) {
                throw new DownException(e);
            }
        } catch (SdkException e) {
            throw new DownException(e);
        }
    }

    /** Empty if there is no such object. */
    private static <T> Optional<T> ask(Callable<T> request) {
        try {
            return Optional.of(request.call());
        } catch (S3Exception e) {
            if (e.statusCode() == NOT_FOUND) {
                return Optional.empty();
            }
            throw new DownException(e);
        } catch (SdkException | IOException e) {
            throw new DownException(e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void destroy() {
        client.close();
        presigner.close();
    }
}
