package dev.leasehold.moc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The rows of MOCs and their files. A finalize writes its row by {@link Finalizer}, not here. */
final class MocRepository {
    /** Both say that this user has the title: exactly this one, or one with the same slug. */
    private static final Set<String> TITLE_INDEXES =
            Set.of("moc_instructions_user_title_unique", "moc_instructions_user_slug_unique");

    private static final int MOST_LISTED = 100;

    private final JdbcClient database;
    private final TransactionTemplate transaction;

    MocRepository(JdbcClient database, PlatformTransactionManager transactions) {
        this.database = database;
        this.transaction = new TransactionTemplate(transactions);
    }

    /** The user has this title, or one with the same slug. */
    static final class TitleTakenException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Writes a MOC and its files, or nothing.
     *
     * @throws TitleTakenException if the user has the title
     */
    void create(UUID id, String ownerId, String title, String slug, List<MocFile> files) {
        boolean isTaken = database.sql("SELECT 1 FROM moc_instructions WHERE user_id = ? AND (slug = ? OR title = ?)")
                        .params(ownerId, slug, title)
                        .query()
                        .listOfRows()
                        .size()
                > 0;
        if (isTaken) {
            throw new TitleTakenException();
        }
        try {
            transaction.executeWithoutResult(status -> insert(id, ownerId, title, slug, files));
        } catch (DuplicateKeyException e) {
            if (TITLE_INDEXES.contains(constraint(e))) {
                throw new TitleTakenException();
            }
            throw e;
        }
    }

    private void insert(UUID id, String ownerId, String title, String slug, List<MocFile> files) {
        database.sql("INSERT INTO moc_instructions (id, user_id, title, slug) VALUES (?, ?, ?, ?)")
                .params(id, ownerId, title, slug)
                .update();
        for (MocFile file : files) {
            database.sql("INSERT INTO moc_files (moc_id, position, name, size, content_type, sha256, is_thumbnail)"
                            + " VALUES (?, ?, ?, ?, ?, ?, ?)")
                    .params(
                            id,
                            file.position(),
                            file.name(),
                            file.size(),
                            file.contentType(),
                            file.sha256(),
                            file.isThumbnail())
                    .update();
        }
    }

    private static String constraint(DuplicateKeyException violation) {
        ServerErrorMessage message =
                violation.getRootCause() instanceof PSQLException error ? error.getServerErrorMessage() : null;
        String constraint = message == null ? null : message.getConstraint();
        return constraint == null ? "" : constraint;
    }

    /** Whether the user has this MOC. */
    boolean isOwned(UUID id, String ownerId) {
        return !database.sql("SELECT 1 FROM moc_instructions WHERE id = ? AND user_id = ?")
                .params(id, ownerId)
                .query()
                .listOfRows()
                .isEmpty();
    }

    Optional<Moc> find(UUID id, String ownerId) {
        return database.sql("SELECT * FROM moc_instructions WHERE id = ? AND user_id = ?")
                .params(id, ownerId)
                .query(MocRepository::moc)
                .optional();
    }

    List<MocFile> files(UUID id) {
        return database.sql("SELECT * FROM moc_files WHERE moc_id = ? ORDER BY position")
                .param(id)
                .query((row, number) -> new MocFile(
                        row.getInt("position"),
                        row.getString("name"),
                        row.getLong("size"),
                        row.getString("content_type"),
                        row.getString("sha256"),
                        row.getBoolean("is_thumbnail")))
                .list();
    }

    /** The user's MOCs, the newest first. */
    List<Moc> list(String ownerId) {
        return database.sql("SELECT * FROM moc_instructions WHERE user_id = ? ORDER BY created_at DESC, id LIMIT ?")
                .params(ownerId, MOST_LISTED)
                .query(MocRepository::moc)
                .list();
    }

    /** A finalized MOC and the fence with which it was. */
    record Finalized(Moc moc, long fence) {}

    /** The finalized MOCs after this id, in the order of their ids, a page at a time. */
    List<Finalized> finalizedAfter(UUID last) {
        return database.sql(
                        "SELECT * FROM moc_instructions WHERE finalized_at IS NOT NULL AND finalize_fence IS NOT NULL"
                                + " AND id > ? ORDER BY id LIMIT ?")
                .params(last, MOST_LISTED)
                .query((row, number) -> new Finalized(moc(row, number), row.getLong("finalize_fence")))
                .list();
    }

    private static Moc moc(ResultSet row, int number) throws SQLException {
        Timestamp finalized = row.getTimestamp("finalized_at");
        return new Moc(
                row.getObject("id", UUID.class),
                row.getString("user_id"),
                row.getString("title"),
                row.getString("slug"),
                row.getString("thumbnail_key"),
                row.getTimestamp("created_at").toInstant(),
                finalized == null ? null : finalized.toInstant());
    }
}
