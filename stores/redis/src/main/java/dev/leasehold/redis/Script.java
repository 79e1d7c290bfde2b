package dev.leasehold.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/** What runs inside Redis, each in one step: the parts of its text, and the digest by which the server knows it. */
final class Script {
    static final Script ACQUIRE = new Script("clock", "acquire-quick", "prelude", "line", "acquire");
    static final Script RENEW = new Script("clock", "prelude", "renew");
    static final Script RELEASE = new Script("clock", "release-quick", "prelude", "line", "release");
    static final Script SETTLE = new Script("clock", "prelude", "line", "settle");
    static final Script FIND = new Script("clock", "prelude", "find");
    static final Script PURGE = new Script("clock", "prelude", "line", "purge");
    static final Script HISTORY_APPEND = new Script("clock", "prelude", "history-append");
    static final Script HISTORY_READ = new Script("clock", "prelude", "history-read");
    static final Script HISTORY_FORGET = new Script("clock", "prelude", "history-forget");

    final byte[] text;
    final byte[] digest;

    private Script(String... parts) {
        StringBuilder joined = new StringBuilder();
        for (String part : parts) {
            joined.append(read(part));
        }
        this.text = joined.toString().getBytes(StandardCharsets.UTF_8);
        this.digest = Bytes.of(sha1(text));
    }

    private static String read(String part) {
        String name = part + ".lua";
        try (InputStream in = Objects.requireNonNull(Script.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
