package dev.leasehold.store;

import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Finds the store behind a URL among the modules on the class path. */
public final class Stores {
    private static final String MERGED_JAR = " If its module is in your application, check META-INF/services/"
            + StoreProvider.class.getName() + ": in one merged jar it must list the providers of all modules.";

    private Stores() {}

    /**
     * Opens the store at this URL. The caller closes it.
     *
     * @throws StoreException as {@link StoreBuilder#open} does
     */
    public static LeaseStore open(String url) {
        return builder(url).open();
    }

    /** The same for a parsed URL, which may name a user by {@link StoreUrl#withUser}. */
    public static LeaseStore open(StoreUrl url) {
        return builder(url).open();
    }

    /** A store by its URL, with a user or a schema to be created: {@code Stores.builder(url).creatingSchema().open()}. */
    public static StoreBuilder builder(String url) {
        return builder(StoreUrl.of(url));
    }

    /** The same for a parsed URL, which may name a user by {@link StoreUrl#withUser}. */
    public static StoreBuilder builder(StoreUrl url) {
        return new StoreBuilder(url);
    }

    /**
     * Creates the tables, or the file, that the store at this URL needs, as far as they are missing. Many processes may do
     * so at once. Nothing happens for a store that needs none.
     *
     * @throws StoreException if they cannot be created, with the reason
     */
    public static void createSchema(String url) {
        createSchema(StoreUrl.of(url));
    }

    /** The same for a parsed URL, which may name a user by {@link StoreUrl#withUser}. */
    public static void createSchema(StoreUrl url) {
        provider(url).createSchema(url);
    }

    /**
     * The provider that opens such URLs.
     *
     * @throws StoreException if there is none on the class path; it says which dependencies to add
     */
    public static StoreProvider provider(StoreUrl url) {
        TreeSet<String> known = new TreeSet<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, Stores.class.getClassLoader())) {
            if (provider.schemes().contains(url.scheme())) {
                return provider;
            }
            known.addAll(provider.schemes());
        }
        throw new StoreException("No store is known for URLs that begin with \"" + url.scheme() + ":\", only for "
                + String.join(":, ", known) + ":." + advice(url.scheme(), known) + MERGED_JAR);
    }

    private static String advice(String scheme, Set<String> known) {
        String module = module(scheme);
        if (!module.isEmpty() && known.stream().map(Stores::module).noneMatch(module::equals)) {
            String driver = driver(scheme);
            return " Add the dependency dev.leasehold:" + module + " in the version of leasehold-core"
                    + (driver.isEmpty() ? "." : ", and the driver " + driver + ".")
                    + (module.equals("leasehold-firestore")
                            ? " The command leasehold takes its jar, and those that it needs, from a directory ext beside"
                                    + " the directory bin."
                            : "");
        }
        String database = scheme.equals("postgres") ? "postgresql" : scheme;
        return driver("jdbc:" + database).isEmpty()
                ? ""
                : " The URL of such a database begins with \"jdbc:" + database + ":\".";
    }

    /** The module of Leasehold that has a scheme; empty if that is core, or there is none. */
    private static String module(String scheme) {
        return switch (scheme) {
            case "file" -> "leasehold-file";
            case "sqlite", "worker-lock" -> "leasehold-jdbc";
            case "firestore" -> "leasehold-firestore";
            case "redis", "rediss", "redis-cluster", "rediss-cluster" -> "leasehold-redis";
            default -> scheme.startsWith("jdbc:") ? "leasehold-jdbc" : "";
        };
    }

    /** The driver that a scheme needs beside its module; empty if none is known. */
    private static String driver(String scheme) {
        return switch (scheme) {
            case "sqlite", "jdbc:sqlite" -> "org.xerial:sqlite-jdbc";
            case "jdbc:postgresql" -> "org.postgresql:postgresql";
            case "jdbc:mariadb" -> "org.mariadb.jdbc:mariadb-java-client";
            case "jdbc:mysql" -> "com.mysql:mysql-connector-j";
            case "jdbc:h2" -> "com.h2database:h2";
            default -> "";
        };
    }
}
