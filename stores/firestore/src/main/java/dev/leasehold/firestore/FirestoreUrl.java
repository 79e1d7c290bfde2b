package dev.leasehold.firestore;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the URL of a store in Firestore says.
 *
 * @param project null for the one that the environment names
 * @param database null for the default one
 */
record FirestoreUrl(@Nullable String project, @Nullable String database, String collection) {
    static final String SCHEME = "firestore";

    private static final Pattern SHAPE =
            Pattern.compile("([a-zA-Z0-9.:_-]*)(?:/([a-zA-Z0-9()_-]+))?(?:\\?collection=([^&=]+))?");

    static FirestoreUrl of(StoreUrl url) {
        Matcher matcher = SHAPE.matcher(url.rest());
        if (!matcher.matches()) {
            throw new StoreException("The URL of a store in Firestore is firestore:PROJECT/DATABASE?collection=NAME,"
                    + " of which each part may be left out. This one is not: " + url);
        }
        String project = matcher.group(1);
        String collection = matcher.group(3);
        return new FirestoreUrl(
                project.isEmpty() ? null : project,
                matcher.group(2),
                collection == null
                        ? FirestoreLeaseStoreBuilder.COLLECTION
                        : URLDecoder.decode(collection, StandardCharsets.UTF_8));
    }

    FirestoreLeaseStoreBuilder builder() {
        return new FirestoreLeaseStoreBuilder(project, database).collection(collection);
    }
}
