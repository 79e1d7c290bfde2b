package dev.leasehold.benchmarks;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Names for single calls. */
final class Nonces {
    private Nonces() {}

    /** 32 hexadecimal digits. */
    static String fresh() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
    }
}
