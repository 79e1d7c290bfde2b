package dev.leasehold.once;

import java.lang.Character.UnicodeScript;
import java.text.Normalizer;

/** The rule behind {@link NamePolicy#slug()}. It must never change: see there. */
final class Slug {
    /** A mark that is a letter of its own in upper case. */
    private static final int IOTA_BELOW = 0x0345;

    private Slug() {}

    static String of(String text) {
        String folded = NamePolicy.foldCase(withoutAccents(text));
        // Once more, because changing case can leave accents behind.
        String normal = Normalizer.normalize(withoutAccents(folded), Normalizer.Form.NFKC);
        StringBuilder slug = new StringBuilder(normal.length());
        boolean isBetweenWords = false;
        for (int i = 0; i < normal.length(); ) {
            int point = normal.codePointAt(i);
            i += Character.charCount(point);
            if (isPartOfAWord(point)) {
                if (isBetweenWords && !slug.isEmpty()) {
                    slug.append('-');
                }
                slug.appendCodePoint(point);
                isBetweenWords = false;
            } else if (Character.getType(point) != Character.FORMAT) {
                isBetweenWords = true;
            }
        }
        return slug.toString();
    }

    /**
     * Takes accents off Latin and Greek letters only. Elsewhere a mark makes another letter, as in Japanese, Russian or
     * Hindi, and taking it off would make one name of two.
     */
    private static String withoutAccents(String text) {
        String decomposed = Normalizer.normalize(text, Normalizer.Form.NFKD);
        StringBuilder plain = new StringBuilder(decomposed.length());
        boolean isAccentable = false;
        for (int i = 0; i < decomposed.length(); ) {
            int point = decomposed.codePointAt(i);
            i += Character.charCount(point);
            if (isMark(point)) {
                if (!isAccentable || point == IOTA_BELOW) {
                    plain.appendCodePoint(point);
                }
            } else {
                UnicodeScript script = UnicodeScript.of(point);
                isAccentable = script == UnicodeScript.LATIN || script == UnicodeScript.GREEK;
                plain.appendCodePoint(point);
            }
        }
        return plain.toString();
    }

    private static boolean isPartOfAWord(int point) {
        return Character.isLetterOrDigit(point) || isMark(point);
    }

    private static boolean isMark(int point) {
        int type = Character.getType(point);
        return type == Character.NON_SPACING_MARK
                || type == Character.COMBINING_SPACING_MARK
                || type == Character.ENCLOSING_MARK;
    }
}
