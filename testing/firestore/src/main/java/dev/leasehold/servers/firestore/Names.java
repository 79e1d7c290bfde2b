package dev.leasehold.servers.firestore;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.regex.Pattern;

/** Resource names: {@code projects/p/databases/d/documents/collection/id/...}. */
final class Names {
    /** By segments, each by its UTF-8 bytes; so a document is followed by all that lies below it. */
    static final Comparator<String> ORDER = Names::compare;

    private static final Pattern DATABASE = Pattern.compile("projects/[^/]+/databases/[^/]+");
    private static final int MAX_ID_BYTES = 1_500;
    private static final int MAX_NAME_BYTES = 6 * 1_024;
    private static final int MAX_DEPTH = 100;

    private Names() {}

    static String checkDatabase(String database) {
        if (!DATABASE.matcher(database).matches()) {
            throw Refusals.invalid("Not the name of a database: \"" + database + "\"");
        }
        return database;
    }

    /** Returns the database of a document or of a query's parent. */
    static String databaseOf(String name) {
        int end = name.indexOf("/documents");
        return checkDatabase(end < 0 ? name : name.substring(0, end));
    }

    static String root(String database) {
        return database + "/documents";
    }

    /** Refuses a name that is no document of the database. */
    static String checkDocument(String name, String database) {
        String root = root(database);
        if (!name.startsWith(root + "/")) {
            throw Refusals.invalid("Not a document of " + database + ": \"" + name + "\"");
        }
        String[] ids = name.substring(root.length() + 1).split("/", -1);
        if (ids.length % 2 != 0) {
            throw Refusals.invalid("The name of a collection, not of a document: \"" + name + "\"");
        }
        if (ids.length / 2 > MAX_DEPTH || bytes(name) > MAX_NAME_BYTES) {
            throw Refusals.invalid("The document's name is too deep or too long: \"" + name + "\"");
        }
        for (String id : ids) {
            checkId(id);
        }
        return name;
    }

    /** Refuses a query's parent that is neither the root of a database nor a document. */
    static String checkParent(String parent) {
        String database = databaseOf(parent);
        return parent.equals(root(database)) ? parent : checkDocument(parent, database);
    }

    static String checkId(String id) {
        boolean isReserved = id.length() >= 4 && id.startsWith("__") && id.endsWith("__");
        if (id.isEmpty() || id.equals(".") || id.equals("..") || id.contains("/") || isReserved) {
            throw Refusals.invalid("Not a valid id: \"" + id + "\"");
        }
        if (bytes(id) > MAX_ID_BYTES) {
            throw Refusals.invalid("The id is longer than " + MAX_ID_BYTES + " bytes: \"" + id + "\"");
        }
        return id;
    }

    /** Returns the name of the collection that the document is in. */
    static String collectionOf(String document) {
        return document.substring(0, document.lastIndexOf('/'));
    }

    static String lastId(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    /** Compares two texts by their UTF-8 bytes. */
    static int compareUtf8(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            if (a.charAt(i) != b.charAt(i)) {
                return Integer.compare(rank(a.charAt(i)), rank(b.charAt(i)));
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int compare(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return x == '/' ? -1 : y == '/' ? 1 : Integer.compare(rank(x), rank(y));
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** Surrogates stand for code points above all others, whose UTF-8 is greater. */
    private static int rank(char c) {
        return Character.isSurrogate(c) ? c + 0x10000 : c;
    }
}
