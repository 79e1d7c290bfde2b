package dev.leasehold.lease;

import dev.leasehold.store.Nonce;
import java.security.SecureRandom;
import java.util.function.Supplier;

/** Nonces that nobody can guess or repeat. */
final class RandomIds implements Supplier<Nonce> {
    static final RandomIds INSTANCE = new RandomIds();

    private final SecureRandom random = new SecureRandom();

    @Override
    public Nonce get() {
        return new Nonce(random.nextLong(), random.nextLong());
    }
}
