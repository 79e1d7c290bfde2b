package dev.leasehold.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** What is started as a process of its own for W8. */
final class Programs {
    private Programs() {}

    /** {@link BareStart}, by the Java that runs this, with nothing on its class path but itself and the driver. */
    static ProcessBuilder bare(Bed bed, String key, List<String> javaOptions) throws SQLException, URISyntaxException {
        FloorSql sql = FloorSql.of(bed.store);
        String classPath = origin(BareStart.class) + ":"
                + origin(DriverManager.getDriver(bed.url).getClass());
        ProcessBuilder builder = new ProcessBuilder(System.getProperty("java.home") + "/bin/java");
        builder.command().addAll(javaOptions);
        builder.command()
                .addAll(List.of(
                        "-cp", classPath, BareStart.class.getName(), bed.url, sql.acquire(), sql.release(), key));
        builder.environment().put("USER_NAME", bed.user);
        builder.environment().put("PASSWORD", bed.password);
        return builder;
    }

    private static Path origin(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** {@code leasehold run} as it is distributed; {@code ./bench} says where. */
    static ProcessBuilder leasehold(Bed bed, String key) {
        Path launcher = Path.of(System.getProperty("leasehold.launcher", "cli/target/leasehold/bin/leasehold"));
        if (!Files.isExecutable(launcher)) {
            throw new IllegalStateException("There is no " + launcher + ": W8 needs the command; ./bench builds it.");
        }
        ProcessBuilder builder = new ProcessBuilder(launcher.toString(), "run", "--key", key, "--", "true");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("LEASEHOLD_STORE", bed.url);
        if (!bed.user.isEmpty()) {
            builder.environment().put("LEASEHOLD_STORE_USER", bed.user);
            builder.environment().put("LEASEHOLD_STORE_PASSWORD", bed.password);
        }
        return builder;
    }
}
