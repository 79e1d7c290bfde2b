package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/**
 * Opens the store at a URL, with two settings that are not part of the URL: the {@linkplain #user user}, so that no password
 * stands in the URL, and whether a missing schema {@linkplain #creatingSchema is created}. Without them it does what
 * {@link Stores#open(String)} does.
 *
 * <pre>{@code
 * LeaseStore store = Stores.builder("jdbc:postgresql://host/db")
 *         .user("leases", password)
 *         .creatingSchema()
 *         .open();
 * }</pre>
 *
 * <p>Not safe for many threads.
 */
public final class StoreBuilder {
    private StoreUrl url;
    private boolean createsSchema;

    StoreBuilder(StoreUrl url) {
        this.url = url;
    }

    /** Opens the store for this user, in place of the one in the URL; {@code null} for what the URL says. */
    public StoreBuilder user(@Nullable String name, @Nullable String password) {
        this.url = url.withUser(name, password);
        return this;
    }

    /**
     * Creates the tables, or the file, if they are missing; otherwise a missing one is a {@link MissingSchemaException}.
     * Nothing is changed if they are there, so the user needs no right to create tables then.
     */
    public StoreBuilder creatingSchema() {
        this.createsSchema = true;
        return this;
    }

    /**
     * Opens the store. The caller closes it.
     *
     * @throws StoreException if no module on the class path knows the scheme, and as {@link StoreProvider#open} does;
     *     nothing is left open then
     */
    public LeaseStore open() {
        StoreProvider provider = Stores.provider(url);
        try {
            return provider.open(url);
        } catch (MissingSchemaException e) {
            if (!createsSchema) {
                throw new MissingSchemaException(
                        e.what(),
                        "Leasehold.openOrCreate(url), Stores.createSchema(url) and the command \"leasehold schema --apply\""
                                + " create what is missing.",
                        e);
            }
            provider.createSchema(url);
            return provider.open(url);
        }
    }
}
