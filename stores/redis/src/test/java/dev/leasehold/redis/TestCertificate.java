package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate for one address, signed by itself.
 *
 * @param store with key and certificate, for Java
 * @param certificate for the server, as is the key
 */
record TestCertificate(Path store, Path certificate, Path key) {
    static final String PASSWORD = "changeit";

    private static final String ALIAS = "redis";

    /** Made by the JDK's own tool. */
    static TestCertificate of(String name, Path directory) throws Exception {
        Path store = directory.resolve("store.p12");
        Process tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=test",
                        "-ext",
                        "san=" + name,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tool.waitFor()).as(said).isZero();
        return read(store, directory);
    }

    private static TestCertificate read(Path store, Path directory) throws GeneralSecurityException, IOException {
        KeyStore entries = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            entries.load(in, PASSWORD.toCharArray());
        }
        byte[] certificate = entries.getCertificate(ALIAS).getEncoded();
        byte[] key = entries.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
        return new TestCertificate(
                store,
                pem(directory.resolve("certificate.pem"), "CERTIFICATE", certificate),
                pem(directory.resolve("key.pem"), "PRIVATE KEY", key));
    }

    private static Path pem(Path file, String kind, byte[] bytes) throws IOException {
        return Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + kind
                        + "-----\n");
    }
}
