package dev.leasehold.once;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects what a request says, member by member, in any order. Not for use by several threads at once. */
public final class FingerprintBuilder {
    private final Map<String, @Nullable Object> members = new HashMap<>();

    FingerprintBuilder() {}

    /**
     * Adds a member: its value is of the kinds that {@link Fingerprint#of} takes, or another builder.
     *
     * @throws IllegalArgumentException if there is one of that name already
     */
    public FingerprintBuilder with(String name, @Nullable Object value) {
        if (members.containsKey(name)) {
            throw new IllegalArgumentException("There are two members '" + name + "'.");
        }
        members.put(name, value);
        return this;
    }

    Map<String, @Nullable Object> members() {
        return members;
    }

    public Fingerprint build() {
        return Fingerprint.of(members);
    }
}
