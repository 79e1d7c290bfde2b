package dev.leasehold.moc;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Makes MOCs, shows them and finds them. */
@RestController
final class MocController {
    private final MocRepository mocs;
    private final ObjectStore objects;
    private final SearchIndex search;
    private final Users users;

    MocController(MocRepository mocs, ObjectStore objects, SearchIndex search, Users users) {
        this.mocs = mocs;
        this.objects = objects;
        this.search = search;
        this.users = users;
    }

    @PostMapping(path = "/api/mocs", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<Object> create(HttpServletRequest request) throws IOException {
        String owner = users.id(request);
        UUID id = UUID.randomUUID();
        FinalizeLog log = FinalizeLog.of(request).about(owner, id);
        Bodies.NewMoc wanted = Bodies.newMoc(request);
        mocs.create(id, owner, wanted.title(), Titles.slug(wanted.title()), wanted.files());
        log.created();
        Moc made = mocs.find(id, owner).orElseThrow();
        return ResponseEntity.created(URI.create("/api/mocs/" + id)).body(withUploads(made, wanted.files()));
    }

    @GetMapping("/api/mocs/{id}")
    Map<String, @Nullable Object> read(@PathVariable("id") String text, HttpServletRequest request) {
        UUID id = Bodies.id(text);
        Moc moc = mocs.find(id, users.id(request)).orElseThrow(Problems::unknown);
        List<MocFile> files = mocs.files(id);
        return moc.finalizedAt() == null ? withUploads(moc, files) : Views.of(moc, files);
    }

    /** With uploads that are signed anew. */
    private Map<String, @Nullable Object> withUploads(Moc moc, List<MocFile> files) {
        Map<String, @Nullable Object> view = Views.of(moc, files);
        Map<String, ObjectStore.Upload> uploads = new LinkedHashMap<>();
        files.forEach(file -> uploads.put(file.name(), objects.upload(moc.id(), file)));
        view.put("uploads", uploads);
        return view;
    }

    @GetMapping("/api/mocs")
    Map<String, Object> list(
            @RequestParam(name = "q", required = false) @Nullable String q, HttpServletRequest request) {
        String owner = users.id(request);
        List<Moc> found = q == null ? mocs.list(owner) : found(owner, q);
        return Map.of("mocs", found.stream().map(Views::of).toList());
    }

    /** A document whose row is not finalized comes from a finalize that failed after it; it is not shown. */
    private List<Moc> found(String owner, String words) {
        if (!search.isOn()) {
            throw Problems.of(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "search-off",
                    "Search is off here. Leave out q to list your MOCs, or start the application with OPENSEARCH_URL.");
        }
        return search.search(owner, words).stream()
                .map(id -> mocs.find(id, owner).orElse(null))
                .filter(Objects::nonNull)
                .filter(moc -> moc.finalizedAt() != null)
                .toList();
    }
}
