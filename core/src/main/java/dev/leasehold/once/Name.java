package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;

/**
 * A name that only one subject can have: a text, within a scope, under a policy that says which texts are the same.
 *
 * <p>The same text in two scopes is two names. A scope is for example a tenant, or all titles of one user:
 * {@code Key.of("mocs", ownerId)}. Names are equal if they are kept under the same {@link #key}.
 */
public final class Name {
    private static final String ROOT = "names/";
    private static final int LONGEST_SCOPE = 320;

    private final Key scope;
    private final String text;
    private final String place;

    private Name(Key scope, String text, String place) {
        this.scope = scope;
        this.text = text;
        this.place = place;
    }

    /**
     * The name that this text is.
     *
     * @throws UnusableNameException if the text cannot be a name under the policy
     * @throws IllegalArgumentException if the scope has more than {@value #LONGEST_SCOPE} bytes
     */
    public static Name of(Key scope, String text, NamePolicy policy) {
        if (scope.utf8().length > LONGEST_SCOPE) {
            throw new IllegalArgumentException("The scope of a name must be at most " + LONGEST_SCOPE
                    + " bytes in UTF-8, so that there is room for the name: " + scope + ".");
        }
        return new Name(scope, text, scope + "/" + policy.id() + "/" + KeyParts.segment(policy.normalise(text)));
    }

    public Key scope() {
        return scope;
    }

    /** The text as it was given. */
    public String text() {
        return text;
    }

    /** Under which the claim is kept. */
    public Key key() {
        return Key.of(ROOT + place);
    }

    /** Under which the so many-th change of hands is kept after the claim that has this fence. */
    Key change(Fence claim, int number) {
        return Key.of("names@" + claim.value() + "." + number + "/" + place);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name that && place.equals(that.place);
    }

    @Override
    public int hashCode() {
        return place.hashCode();
    }

    @Override
    public String toString() {
        return "\"" + text + "\" (" + key() + ")";
    }
}
