package dev.leasehold.analysis;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint for the task queue. */
@RestController
final class TaskController {
    private static final int LIMIT = 4 * 1024;

    private final AnalysisTasks tasks;

    TaskController(AnalysisTasks tasks) {
        this.tasks = tasks;
    }

    @PostMapping(path = "/internal/tasks/analysis", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Object> run(HttpServletRequest request) throws Exception {
        return Problems.send(tasks.run(Bodies.id(Bodies.text(request, LIMIT, "analysisId"))));
    }
}
