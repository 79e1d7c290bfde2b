package dev.leasehold.moc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** MOCs as users see them in JSON. */
final class Views {
    private Views() {}

    /** The record: of a finalized MOC it is always the same. */
    static Map<String, @Nullable Object> of(Moc moc, List<MocFile> files) {
        Map<String, @Nullable Object> view = of(moc);
        view.put("files", files.stream().map(Views::of).toList());
        return view;
    }

    private static Map<String, @Nullable Object> of(MocFile file) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("name", file.name());
        view.put("size", file.size());
        view.put("contentType", file.contentType());
        view.put("sha256", file.sha256());
        return view;
    }

    /** In lists. */
    static Map<String, @Nullable Object> of(Moc moc) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("id", moc.id());
        view.put("title", moc.title());
        view.put("slug", moc.slug());
        view.put("status", moc.finalizedAt() == null ? "open" : "finalized");
        view.put("createdAt", moc.createdAt());
        view.put("finalizedAt", moc.finalizedAt());
        view.put("thumbnailKey", moc.thumbnailKey());
        return view;
    }
}
