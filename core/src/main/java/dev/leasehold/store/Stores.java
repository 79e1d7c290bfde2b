package dev.leasehold.store;

import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds the store behind a URL among the modules on the class path. */
public final class Stores {
    private Stores() {}

    /**
     * Opens the store at this URL.
     *
     * @throws StoreException if nobody knows the scheme, and as {@link StoreProvider#open} does
     */
    public static LeaseStore open(String url) {
        return open(StoreUrl.of(url));
    }

    /** The same, perhaps for a certain user. */
    public static LeaseStore open(StoreUrl url) {
        return provider(url).open(url);
    }

    /**
     * Who opens such URLs.
     *
     * @throws StoreException if nobody on the class path does; it lists the schemes that are known
     */
    public static StoreProvider provider(StoreUrl url) {
        TreeSet<String> known = new TreeSet<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, Stores.class.getClassLoader())) {
            if (provider.schemes().contains(url.scheme())) {
                return provider;
            }
            known.addAll(provider.schemes());
        }
        String module = module(url.scheme());
        boolean isThere = known.stream().map(Stores::module).anyMatch(module::equals);
        String advice = module.isEmpty() || isThere ? "" : " Add the dependency dev.leasehold:" + module + ".";
        throw new StoreException("No store is known for URLs that begin with \"" + url.scheme() + ":\", only for "
                + String.join(":, ", known) + ":." + advice);
    }

    /** Which module of Leasehold has a scheme, as far as it is not core: for the message to those who lack it. */
    private static String module(String scheme) {
        return switch (scheme) {
            case "file" -> "leasehold-file";
            case "sqlite", "worker-lock" -> "leasehold-jdbc";
            case "redis", "rediss", "redis-cluster", "rediss-cluster" -> "leasehold-redis";
            default -> scheme.startsWith("jdbc:") ? "leasehold-jdbc" : "";
        };
    }
}
