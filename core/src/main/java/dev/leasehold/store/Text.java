package dev.leasehold.store;

import java.util.Locale;

/** The one rule for text that reaches a store: what is refused, and how it is shown in the refusal. */
final class Text {
    private static final int SHOWN = 60;
    private static final int REPLACEMENT = 0xFFFD;

    private Text() {}

    /** Refuses text that is empty, too long, malformed or has control characters. */
    static void check(String what, String text, int maxBytes) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(what + " must not be empty.");
        }
        long bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException(what
                        + " must be well-formed Unicode; there is a lone surrogate at index " + i + ": " + quote(text));
            }
            if (Character.isISOControl(point)) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "%s must not have control characters; there is U+%04X at index %d: %s",
                        what,
                        point,
                        i,
                        quote(text)));
            }
            bytes += utf8Length(point);
            i += Character.charCount(point);
        }
        if (bytes > maxBytes) {
            throw new IllegalArgumentException(what + " must be at most " + maxBytes + " bytes in UTF-8, this one has "
                    + bytes + ": " + quote(text));
        }
    }

    /** Text for people as it can be kept: without control characters and lone surrogates, cut to that many bytes. */
    static String tidy(String text, int maxBytes) {
        StringBuilder tidy = new StringBuilder(Math.min(text.length(), maxBytes));
        int bytes = 0;
        for (int i = 0; i < text.length(); ) {
            int point = text.codePointAt(i);
            i += Character.charCount(point);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                point = REPLACEMENT;
            } else if (Character.isISOControl(point)) {
                point = ' ';
            }
            bytes += utf8Length(point);
            if (bytes > maxBytes) {
                break;
            }
            tidy.appendCodePoint(point);
        }
        return tidy.toString();
    }

    private static int utf8Length(int point) {
        return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    }

    /** The text in quotes, cut to a readable length, with everything escaped that could upset a log or a terminal. */
    static String quote(String text) {
        StringBuilder shown = new StringBuilder("\"");
        int end = Math.min(text.length(), SHOWN);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                shown.append(String.format(Locale.ROOT, "\\u%04X", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.append(text.length() > SHOWN ? "…\"" : "\"").toString();
    }

    static int compareByCodePoint(String left, String right) {
        int length = Math.min(left.length(), right.length());
        for (int i = 0; i < length; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                // Surrogates stand for code points above the whole of the BMP, but sort below U+E000 as chars.
                boolean surrogateA = Character.isSurrogate(a);
                boolean surrogateB = Character.isSurrogate(b);
                return surrogateA == surrogateB ? Character.compare(a, b) : surrogateA ? 1 : -1;
            }
        }
        return Integer.compare(left.length(), right.length());
    }
}
