package dev.leasehold.once.http;

/**
 * What is wrong, as RFC 9457 has it: for a body of type {@value #MEDIA_TYPE}.
 *
 * @param type names the kind of problem for programs; it never changes
 * @param title says the kind to people
 * @param detail says what to do
 */
public record Problem(String type, String title, String detail) {
    public static final String MEDIA_TYPE = "application/problem+json";

    private static final String BASE = "urn:leasehold:problem:";

    /** The same request is being worked on. */
    public static final String IN_PROGRESS = BASE + "in-progress";

    /** The key was used before, for a request that was different. */
    public static final String KEY_REUSED = BASE + "key-reused";

    /** Nobody knows whether the work was done; a person decides. */
    public static final String NEEDS_REVIEW = BASE + "needs-review";

    /** The work failed for good. */
    public static final String FAILED = BASE + "failed";

    /** It was done a short while ago. */
    public static final String COOLING = BASE + "cooling";

    /** Somebody else has the name. */
    public static final String NAME_TAKEN = BASE + "name-taken";

    /** The request must have the header {@code Idempotency-Key}. */
    public static final String KEY_MISSING = BASE + "key-missing";

    /** The header {@code Idempotency-Key} is not what it has to be. */
    public static final String KEY_MALFORMED = BASE + "key-malformed";

    /** The text cannot be a name. */
    public static final String NAME_UNUSABLE = BASE + "name-unusable";

    /** The record that was to be worked on does not exist. */
    public static final String NOT_FOUND = BASE + "not-found";

    /** The work was done, but the record that is its result may be without it. */
    public static final String UNRECORDED = BASE + "unrecorded";

    /** The store does not answer. */
    public static final String STORE_DOWN = BASE + "store-down";
}
