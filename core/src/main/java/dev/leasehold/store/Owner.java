package dev.leasehold.store;

/**
 * Who holds a lease, in words for people: shown to those who are refused, in lists and in the console.
 *
 * <p>An owner is a label and nothing else. It never decides whether a renewal or release is allowed: two holders may
 * well have the same label (two processes of one host). The {@link Nonce} decides.
 */
public record Owner(String label) {
    /** The longest label, in bytes of UTF-8. */
    public static final int MAX_BYTES = 255;

    public Owner {
        Text.check("An owner", label, MAX_BYTES);
    }

    public static Owner of(String label) {
        return new Owner(label);
    }

    @Override
    public String toString() {
        return label;
    }
}
