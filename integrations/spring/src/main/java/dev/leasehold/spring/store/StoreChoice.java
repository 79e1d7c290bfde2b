package dev.leasehold.spring.store;

import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreBuilder;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens the one store that the properties and the application's beans leave, or says why there is none. */
final class StoreChoice {
    private final LeaseholdProperties properties;
    private final List<StoreCandidate> candidates;

    StoreChoice(LeaseholdProperties properties, List<StoreCandidate> candidates) {
        this.properties = properties;
        this.candidates = candidates;
    }

    /**
     * Opens the store.
     *
     * @throws StartException if there is none, more than one, or it cannot be used
     */
    LeaseStore open() {
        String url = properties.storeUrl();
        return url == null || url.isBlank() ? openOwn(chosen()) : openUrl(url);
    }

    private StoreCandidate chosen() {
        StoreKind wanted = properties.store();
        List<StoreCandidate> left = candidates.stream()
                .filter(candidate -> wanted == null || candidate.kind() == wanted)
                .toList();
        if (left.isEmpty()) {
            throw wanted == null ? none() : missing(wanted);
        }
        if (left.size() > 1) {
            throw new StartException(
                    "Leasehold can keep its leases in more than one place: the application has "
                            + left.stream()
                                    .map(candidate -> candidate.kind().bean)
                                    .collect(Collectors.joining(" and "))
                            + ".",
                    "Set the property leasehold.store to "
                            + left.stream().map(StoreChoice::name).collect(Collectors.joining(" or "))
                            + ", or define a bean of type LeaseStore.",
                    null);
        }
        return left.get(0);
    }

    private static String name(StoreCandidate candidate) {
        return name(candidate.kind());
    }

    private static String name(StoreKind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    private static StartException none() {
        return new StartException(
                "Leasehold has no place for its leases. The application has no store that Leasehold knows, and the property"
                        + " leasehold.store-url is not set.",
                "Do one of these:\n"
                        + Arrays.stream(StoreKind.values())
                                .map(kind -> "- give the application " + kind.bean
                                        + ", and the dependency dev.leasehold:" + kind.module + "\n")
                                .collect(Collectors.joining())
                        + "- set leasehold.store-url, for example to jdbc:postgresql://host/db, or to memory: in a test of one"
                        + " process",
                null);
    }

    private static StartException missing(StoreKind wanted) {
        return new StartException(
                "The property leasehold.store is " + name(wanted) + ", but the application has not what that needs.",
                "Give the application " + wanted.bean + ", and the dependency dev.leasehold:" + wanted.module
                        + ". Or remove the property.",
                null);
    }

    private LeaseStore openOwn(StoreCandidate candidate) {
        try {
            return candidate.opening().get();
        } catch (StoreException e) {
            throw new StartException(
                    "The application has " + candidate.kind().bean + ", but Leasehold cannot keep leases there. "
                            + e.getMessage(),
                    "Correct that, or set leasehold.store-url to another place.",
                    e);
        }
    }

    private LeaseStore openUrl(String text) {
        try {
            StoreUrl url = StoreUrl.of(text);
            try {
                return builder(url).open();
            } catch (MissingSchemaException e) {
                throw MissingTables.explain(e, Stores.provider(url).schema(url).orElse(null));
            }
        } catch (StoreException e) {
            throw new StartException(
                    "The store of the property leasehold.store-url cannot be used. " + e.getMessage(),
                    "Correct leasehold.store-url, leasehold.store-user and leasehold.store-password, or add the dependency"
                            + " that is named above.",
                    e);
        }
    }

    private StoreBuilder builder(StoreUrl url) {
        StoreBuilder builder = Stores.builder(url);
        @Nullable String user = properties.storeUser();
        if (user != null || properties.storePassword() != null) {
            builder.user(user, properties.storePassword());
        }
        return Boolean.TRUE.equals(properties.createTables()) ? builder.creatingSchema() : builder;
    }
}
