package dev.leasehold.cli;

/** Text from elsewhere as it can be shown: what would turn, hide or break a line stands there escaped. */
final class Shown {
    private Shown() {}

    static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (isVisible(point)) {
                shown.appendCodePoint(point);
            } else {
                shown.append("\\u{").append(Integer.toHexString(point)).append('}');
            }
        });
        return shown.toString();
    }

    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED -> false;
            // Marks of direction among others; but emoji and Indic scripts need the joiners.
            case Character.FORMAT -> point == 0x200C || point == 0x200D;
            default -> true;
        };
    }

    /** How many columns of a terminal the text takes. */
    static int width(String text) {
        return text.codePoints().map(Shown::width).sum();
    }

    private static int width(int point) {
        return switch (Character.getType(point)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
            default -> isWide(point) ? 2 : 1;
        };
    }

    /** The blocks that Unicode calls wide or full-width: East Asian scripts and their forms, and emoji. */
    private static boolean isWide(int point) {
        return (point >= 0x1100 && point <= 0x115F)
                || (point >= 0x2E80 && point <= 0x303E)
                || (point >= 0x3041 && point <= 0xA4CF)
                || (point >= 0xA960 && point <= 0xA97F)
                || (point >= 0xAC00 && point <= 0xD7A3)
                || (point >= 0xF900 && point <= 0xFAFF)
                || (point >= 0xFE30 && point <= 0xFE6F)
                || (point >= 0xFF00 && point <= 0xFF60)
                || (point >= 0xFFE0 && point <= 0xFFE6)
                || (point >= 0x1F300 && point <= 0x1F64F)
                || (point >= 0x1F680 && point <= 0x1F6FF)
                || (point >= 0x1F900 && point <= 0x1FAFF)
                || (point >= 0x20000 && point <= 0x3FFFD);
    }
}
