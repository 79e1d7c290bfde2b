package dev.leasehold.jdbc;

import java.util.Optional;

/**
 * The column that tells rows apart. A key is compared as a value of the column's own type, so that its index is used;
 * text that is not exactly how the database writes such a value is the key of no row.
 *
 * @param column its quoted name
 * @param sqlType its type as PostgreSQL reads it in a statement
 * @param longest the longest text that fits
 */
record KeyColumn(String column, Kind kind, Dialect dialect, String sqlType, int longest) {
    enum Kind {
        TEXT,
        NUMBER,
        UUID
    }

    /** Which row is meant. A collation may find another one than meant; see {@link #isKey}. */
    String isRow() {
        return column + " = " + value();
    }

    /** The key as a value of the column's type. */
    String value() {
        return kind == Kind.UUID ? "CAST(:row AS uuid)" : ":row";
    }

    /** Which row is meant, to the letter: some columns take keys for equal that differ by case or blanks. */
    String isKey() {
        if (kind != Kind.TEXT) {
            return isRow();
        }
        return isRow() + " AND " + ordered() + " = " + letters();
    }

    /** The key to be compared with {@link #ordered}. */
    private String letters() {
        return switch (dialect) {
            case POSTGRESQL, SQLITE -> ":row";
            case MYSQL -> "CAST(CONVERT(:row USING utf8mb4) AS BINARY)";
            case H2 -> "STRINGTOUTF8(:row)";
        };
    }

    /** The column as {@link #exactValue} is compared with it. */
    String exact() {
        return kind == Kind.TEXT ? ordered() : column;
    }

    /** The key to the letter. */
    String exactValue() {
        return kind == Kind.TEXT ? letters() : value();
    }

    String text() {
        return RowTable.text(column, dialect);
    }

    /** The key's text in the order of code points, to be compared with {@link Parameters#keyText}. */
    String ordered() {
        return switch (dialect) {
            case POSTGRESQL -> text() + " COLLATE \"C\"";
            case MYSQL -> "CAST(CONVERT(" + text() + " USING utf8mb4) AS BINARY)";
            case SQLITE -> text() + " COLLATE BINARY";
            case H2 -> "STRINGTOUTF8(" + text() + ")";
        };
    }

    /** The parameter for a key, or empty if no row can have it. */
    Optional<Object> parameter(String text) {
        return switch (kind) {
            case TEXT -> text.codePointCount(0, text.length()) <= longest ? Optional.of(text) : Optional.empty();
            case NUMBER -> {
                try {
                    long number = Long.parseLong(text);
                    yield Long.toString(number).equals(text) ? Optional.of(number) : Optional.empty();
                } catch (NumberFormatException e) {
                    yield Optional.empty();
                }
            }
            case UUID -> {
                try {
                    yield java.util.UUID.fromString(text).toString().equals(text)
                            ? Optional.of(text)
                            : Optional.empty();
                } catch (IllegalArgumentException e) {
                    yield Optional.empty();
                }
            }
        };
    }
}
