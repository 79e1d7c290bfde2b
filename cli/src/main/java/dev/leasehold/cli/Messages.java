package dev.leasehold.cli;

import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** The words that people read, in their language. Data goes in as text, already made readable. */
final class Messages {
    static final String BUNDLE = "dev.leasehold.cli.messages";

    private Messages() {}

    static String text(String name, @Nullable Object... data) {
        String pattern = ResourceBundle.getBundle(BUNDLE, Locale.getDefault()).getString(name);
        return data.length == 0 ? pattern : String.format(Locale.ROOT, pattern, data);
    }

    /** One line that no text from elsewhere can break out of or colour. */
    static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().map(point -> isHarmful(point) ? '?' : point).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    /** Control characters, line separators, and marks that turn the direction of what follows. */
    private static boolean isHarmful(int point) {
        int type = Character.getType(point);
        return Character.isISOControl(point)
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                || type == Character.SURROGATE
                || (point >= 0x202A && point <= 0x202E)
                || (point >= 0x2066 && point <= 0x2069);
    }
}
