package dev.leasehold.moc;

import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.UnusableNameException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** Which titles are the same: those whose slugs are, by the rule of {@link NamePolicy#slug()}. */
final class Titles {
    static final int LONGEST = 200;
    /** Some characters become eighteen, and an entry of an index has a limit. */
    private static final int LONGEST_SLUG_BYTES = 1_000;

    private Titles() {}

    /**
     * The form that is compared: {@code My Castle!} and {@code my  castle} are {@code my-castle}.
     *
     * @throws UnusableNameException if the text has no letter or digit
     * @throws ErrorResponseException if it is too long
     */
    static String slug(String title) {
        if (title.isBlank() || title.length() > LONGEST) {
            throw unusable("A title has 1 to " + LONGEST + " characters.");
        }
        String slug = NamePolicy.slug().normalise(title);
        if (slug.getBytes(StandardCharsets.UTF_8).length > LONGEST_SLUG_BYTES) {
            throw unusable("The title is too long.");
        }
        return slug;
    }

    private static ErrorResponseException unusable(String why) {
        return Problems.of(HttpStatus.UNPROCESSABLE_CONTENT, "title-unusable", why);
    }
}
