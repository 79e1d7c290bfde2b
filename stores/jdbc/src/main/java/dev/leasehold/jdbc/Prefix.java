package dev.leasehold.jdbc;

import org.jspecify.annotations.Nullable;

/** Where the texts that begin with a prefix end, in the order of code points. */
final class Prefix {
    private Prefix() {}

    /** The first text that comes after all texts with this prefix, or {@code null} if there is none. */
    static @Nullable String end(String prefix) {
        for (int length = prefix.length(); length > 0; ) {
            int last = prefix.codePointBefore(length);
            length -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, length) + Character.toString(next);
            }
        }
        return null;
    }
}
