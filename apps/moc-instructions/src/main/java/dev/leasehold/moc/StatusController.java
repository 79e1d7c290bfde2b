package dev.leasehold.moc;

import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** For load balancers and for those who write clients. */
@RestController
final class StatusController {
    private final MocRepository mocs;

    StatusController(MocRepository mocs) {
        this.mocs = mocs;
    }

    @GetMapping("/livez")
    Map<String, String> isAlive() {
        return Map.of("status", "ok");
    }

    /** Throws if the database does not answer. */
    @GetMapping("/readyz")
    Map<String, String> isReady() {
        mocs.list("");
        return Map.of("status", "ok");
    }

    @GetMapping(path = "/openapi", produces = MediaType.APPLICATION_JSON_VALUE)
    Resource openApi() {
        return new ClassPathResource("openapi.json", StatusController.class);
    }
}
