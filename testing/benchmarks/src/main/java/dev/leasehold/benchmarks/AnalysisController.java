package dev.leasehold.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/**
 * The floor of W9: a hand-written web application that reads the row of a finished analysis and answers as the analysis
 * worker does. It runs on the worker's libraries and settings, with as many connections, and writes the same log line.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class AnalysisController {
    private static final Logger LOG = LoggerFactory.getLogger(AnalysisController.class);
    private static final int CONNECTIONS = 8;

    private final JdbcClient database;

    /** Reads from this database. */
    AnalysisController(DataSource source) {
        this.database = JdbcClient.create(source);
    }

    /** The database that the environment names. */
    @Bean
    static HikariDataSource source() {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(System.getenv("LEASEHOLD_STORE"));
        pool.setUsername(System.getenv("LEASEHOLD_STORE_USER"));
        pool.setPassword(System.getenv("LEASEHOLD_STORE_PASSWORD"));
        pool.setMaximumPoolSize(CONNECTIONS);
        return new HikariDataSource(pool);
    }

    record Task(String analysisId) {}

    @PostMapping("/internal/tasks/analysis")
    ResponseEntity<Map<String, String>> run(@RequestBody Task task) {
        String id = task.analysisId();
        return database.sql("SELECT status, attempts, lock_fence FROM analyses WHERE id = ?")
                .param(id)
                .query((row, number) -> {
                    if (!"READY".equals(row.getString("status"))) {
                        return ResponseEntity.internalServerError().<Map<String, String>>build();
                    }
                    LOG.atInfo()
                            .addKeyValue("analysisId", id)
                            .addKeyValue("fence", row.getLong("lock_fence"))
                            .addKeyValue("owner", "")
                            .addKeyValue("attempt", row.getInt("attempts"))
                            .addKeyValue("reason", "already_finished")
                            .log("analysis skipped");
                    return ResponseEntity.ok(Map.of("status", "skipped", "reason", "already_finished"));
                })
                .optional()
                .orElseGet(() -> ResponseEntity.notFound().build());
    }

    /** Listens on the loopback address. */
    public static void main(String[] arguments) {
        ConfigurableApplicationContext context =
                SpringApplication.run(AnalysisController.class, "--server.port=0", "--server.address=127.0.0.1");
        LOG.atInfo()
                .addKeyValue("port", context.getEnvironment().getProperty("local.server.port"))
                .log("listening");
    }
}
