package dev.leasehold.analysis;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints for people and load balancers. */
@RestController
final class AnalysisController {
    private static final int LIMIT = 1_000_000;

    private final AnalysisStore store;
    private final RunningTasks running;

    AnalysisController(AnalysisStore store, RunningTasks running) {
        this.store = store;
        this.running = running;
    }

    @PostMapping(path = "/analyses", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Object> create(HttpServletRequest request) throws IOException {
        String id = UUID.randomUUID().toString();
        store.create(id, Bodies.text(request, LIMIT, "text"));
        return ResponseEntity.created(URI.create("/analyses/" + id)).body(Map.of("id", id, "status", Analysis.PENDING));
    }

    @GetMapping("/analyses/{id}")
    Map<String, Object> read(@PathVariable("id") String id) {
        Analysis analysis = store.find(Bodies.id(id)).orElseThrow(() -> Problems.unknown(id));
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("id", id);
        body.put("status", analysis.status());
        Report report = analysis.report();
        if (report != null) {
            body.put("language", report.language());
            body.put("words", report.words());
            body.put("sentences", report.sentences());
            body.put("readability", report.readability());
            body.put("topWords", report.topWords());
        }
        if (analysis.error() != null) {
            body.put("error", analysis.error());
        }
        return body;
    }

    @GetMapping("/livez")
    Map<String, String> isAlive() {
        return Map.of("status", "ok");
    }

    /** Whether tasks may be sent here. */
    @GetMapping("/readyz")
    Map<String, String> isReady() {
        if (running.isStopping()) {
            throw Problems.of(HttpStatus.SERVICE_UNAVAILABLE, "stopping", "This instance is stopping.");
        }
        store.find("readyz"); // Throws if the store does not answer.
        return Map.of("status", "ok");
    }

    @GetMapping(path = "/openapi", produces = MediaType.APPLICATION_JSON_VALUE)
    Resource openApi() {
        return new ClassPathResource("openapi.json", AnalysisController.class);
    }
}
