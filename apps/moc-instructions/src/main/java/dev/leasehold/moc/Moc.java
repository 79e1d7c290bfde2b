package dev.leasehold.moc;

import dev.leasehold.jdbc.RowMapping;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.store.Fields;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Building instructions of one user, as a row of {@code moc_instructions}.
 *
 * @param slug the form of the title that is compared
 * @param thumbnailKey the object that is shown in lists; null if no file is an image
 * @param finalizedAt null as long as it is open
 */
record Moc(
        UUID id,
        String ownerId,
        String title,
        String slug,
        @Nullable String thumbnailKey,
        Instant createdAt,
        @Nullable Instant finalizedAt) {
    /** How a row is read, and what a finalize writes. Nothing else of a row is ever written. */
    static final RecordCodec<Moc> CODEC =
            RecordCodec.of(Moc::read, moc -> Fields.of("thumbnailKey", moc.thumbnailKey()));

    /** Which columns lock a row, and when it is done. */
    static RowMapping mapping(Duration lockTtl) {
        return RowMapping.of("moc_instructions")
                .key("id")
                .camelCase()
                .since("finalizing_at", lockTtl)
                .fence("finalize_fence")
                .doneWhenNotNull("finalized_at")
                .writes("thumbnail_key");
    }

    Moc withThumbnail(@Nullable String key) {
        return new Moc(id, ownerId, title, slug, key, createdAt, finalizedAt);
    }

    private static Moc read(Fields row) {
        return new Moc(
                UUID.fromString(Objects.requireNonNull(row.text("id"))),
                Objects.requireNonNull(row.text("userId")),
                Objects.requireNonNull(row.text("title")),
                Objects.requireNonNull(row.text("slug")),
                row.text("thumbnailKey"),
                Objects.requireNonNull(row.instant("createdAt")),
                row.instant("finalizedAt"));
    }
}
