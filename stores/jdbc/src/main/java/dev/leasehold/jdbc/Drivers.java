package dev.leasehold.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/** Finds the driver for a URL. */
final class Drivers {
    /** By name, because DriverManager loads all that are on the class path before it gives one. */
    private static final Map<String, String> CLASSES = Map.of(
            "jdbc:sqlite", "org.sqlite.JDBC",
            "jdbc:postgresql", "org.postgresql.Driver",
            "jdbc:mariadb", "org.mariadb.jdbc.Driver",
            "jdbc:h2", "org.h2.Driver");

    private Drivers() {}

    /**
     * The driver for a JDBC URL.
     *
     * @throws SQLException if there is none on the class path
     */
    static Driver find(String url) throws SQLException {
        String name = CLASSES.get(url.substring(0, Math.max(0, url.indexOf(':', "jdbc:".length()))));
        if (name != null) {
            try {
                Driver driver = Class.forName(name)
                        .asSubclass(Driver.class)
                        .getDeclaredConstructor()
                        .newInstance();
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            } catch (ReflectiveOperationException | LinkageError e) {
                // Not there, or in a place that only DriverManager knows.
                return DriverManager.getDriver(url);
            }
        }
        return DriverManager.getDriver(url);
    }
}
