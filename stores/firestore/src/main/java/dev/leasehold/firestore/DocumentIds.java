package dev.leasehold.firestore;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;

/**
 * Names documents after keys, reversibly. An id cannot have a slash, cannot be {@code .} or {@code ..}, and cannot begin and
 * end with two underscores. So {@code ~} becomes {@code ~0}, {@code /} becomes {@code ~1}, the first of two leading
 * underscores {@code ~2}, and the first dot of an id of dots {@code ~3}. A key of 512 bytes becomes at most 1,024 of the
 * 1,500 that an id may have.
 *
 * @param prefix what all keys begin with; it is not part of the ids
 */
record DocumentIds(String prefix) {
    String of(Key key) {
        String rest = key.value().startsWith(prefix) ? key.value().substring(prefix.length()) : "";
        if (rest.isEmpty()) {
            throw new StoreException("The keys of this store begin with \"" + prefix + "\" and go on, but " + key
                    + " does not. Another prefix is set by keyPrefix(...).");
        }
        return escape(rest);
    }

    Key key(String id) {
        return Key.of(prefix + unescape(id));
    }

    private static String escape(String text) {
        String escaped = text.replace("~", "~0").replace("/", "~1");
        if (escaped.startsWith("__")) {
            return "~2" + escaped.substring(1);
        }
        return escaped.equals(".") || escaped.equals("..") ? "~3" + escaped.substring(1) : escaped;
    }

    private static String unescape(String id) {
        StringBuilder text = new StringBuilder(id.length());
        int at = 0;
        while (at < id.length()) {
            boolean isEscape = id.charAt(at) == '~' && at + 1 < id.length();
            text.append(isEscape ? plain(id, id.charAt(at + 1)) : id.charAt(at));
            at += isEscape ? 2 : 1;
        }
        return text.toString();
    }

    private static char plain(String id, char code) {
        return switch (code) {
            case '0' -> '~';
            case '1' -> '/';
            case '2' -> '_';
            case '3' -> '.';
            default -> throw new StoreException("The document \"" + id + "\" was not named by this store.");
        };
    }
}
