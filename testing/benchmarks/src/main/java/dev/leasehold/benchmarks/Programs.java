package dev.leasehold.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

/** The programs that W8 and W9 start as processes of their own. */
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

    /** The analysis worker, on this database. */
    static ProcessBuilder analysisWorker(Bed bed) {
        ProcessBuilder builder = application(bed, "-jar", workerJar().toString());
        builder.environment().put("PORT", "0");
        return builder;
    }

    /** {@link AnalysisController}, on the libraries and settings inside the analysis worker's jar. */
    static ProcessBuilder controller(Bed bed) throws URISyntaxException {
        return application(
                bed,
                "-Dloader.main=" + AnalysisController.class.getName(),
                "-Dloader.path=" + origin(AnalysisController.class),
                "-cp",
                workerJar().toString(),
                "org.springframework.boot.loader.launch.PropertiesLauncher");
    }

    private static ProcessBuilder application(Bed bed, String... options) {
        ProcessBuilder builder =
                new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xms256m", "-Xmx512m");
        builder.command().addAll(List.of(options));
        builder.environment().put("LEASEHOLD_STORE", bed.url);
        builder.environment().put("LEASEHOLD_STORE_USER", bed.user);
        builder.environment().put("LEASEHOLD_STORE_PASSWORD", bed.password);
        return builder;
    }

    /** Returns the analysis worker's jar; {@code ./bench} says where it is. */
    private static Path workerJar() {
        Path jar = Path.of(System.getProperty(
                "leasehold.analysis-worker", "../../apps/analysis-worker/target/analysis-worker.jar"));
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is missing. W9 starts it; ./bench builds it.");
        }
        return jar.toAbsolutePath();
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
