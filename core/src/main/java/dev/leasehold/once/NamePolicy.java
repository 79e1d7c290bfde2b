package dev.leasehold.once;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Says which texts are the same name, by bringing each into one form before it is compared.
 *
 * <p>A policy has an id with a version in it, such as {@code slug-1}, which is part of the key under which a name is
 * kept. A rule must never change under its id: names claimed by the old rule would be compared with names made by the
 * new one. A changed rule is a new policy with a new id, and its names are a world of their own.
 *
 * <p>Policies with the same id are equal. They do not depend on the machine's language.
 */
public final class NamePolicy {
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,30}-[0-9]{1,4}");
    private static final NamePolicy EXACT = new NamePolicy("exact-1", UnaryOperator.identity());
    private static final NamePolicy CASELESS = new NamePolicy("caseless-1", NamePolicy::caseless);
    private static final NamePolicy SLUG = new NamePolicy("slug-1", Slug::of);

    private final String id;
    private final UnaryOperator<String> rule;

    private NamePolicy(String id, UnaryOperator<String> rule) {
        this.id = id;
        this.rule = rule;
    }

    /** Names are the same only if they are to the code point. */
    public static NamePolicy exact() {
        return EXACT;
    }

    /** Upper and lower case are the same, and so are the ways to write one text in Unicode (form NFC). */
    public static NamePolicy caseless() {
        return CASELESS;
    }

    /**
     * Names are the same if their slugs are: {@code My Castle!} and {@code my  castle} are {@code my-castle}. Letters
     * and digits of all scripts count, in lower case and in compatibility form (NFKC); accents of Latin and Greek
     * letters do not, and whatever stands between words is one hyphen. A text without any letter or digit is refused.
     */
    public static NamePolicy slug() {
        return SLUG;
    }

    /**
     * A policy of your own.
     *
     * @param id lower-case letters, digits and hyphens, ending in a hyphen and the version: {@code part-number-1}
     * @param rule brings a text into the form that is compared; must give the same for ever under this id
     */
    public static NamePolicy named(String id, UnaryOperator<String> rule) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("The id of a name policy is lower-case letters, digits and hyphens, and"
                    + " ends in a version, as \"slug-1\" does; not \"" + id + "\".");
        }
        return new NamePolicy(id, rule);
    }

    public String id() {
        return id;
    }

    /**
     * The text in the form that is compared.
     *
     * @throws UnusableNameException if nothing is left of it, or it has characters that no name can have
     */
    public String normalise(String text) {
        String normal = rule.apply(text);
        if (normal.isEmpty()) {
            throw new UnusableNameException("A name needs at least one "
                    + (equals(SLUG) ? "letter or digit" : "character") + "; this one has none: \"" + text + "\".");
        }
        if (normal.codePoints().anyMatch(KeyParts::isUnfit)) {
            throw new UnusableNameException("A name must be well-formed text without control characters.");
        }
        return normal;
    }

    private static String caseless(String text) {
        return Normalizer.normalize(foldCase(Normalizer.normalize(text, Normalizer.Form.NFD)), Normalizer.Form.NFC);
    }

    /**
     * There and back and there again, because some letters become one in upper case only, such as the sharp s and a
     * double one, and others in lower case only. Lower case writes a sigma as its neighbours want it.
     */
    static String foldCase(String text) {
        return text.toLowerCase(Locale.ROOT)
                .toUpperCase(Locale.ROOT)
                .toLowerCase(Locale.ROOT)
                .replace('ς', 'σ');
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NamePolicy that && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return id;
    }
}
