-- The fence of the last finalize: each one is larger, and the second phase commits only with the current one.
ALTER TABLE moc_instructions ADD finalize_fence bigint;

-- The form of a title that is compared. It is computed by the application: fill it before this runs on rows that exist.
ALTER TABLE moc_instructions ADD slug text NOT NULL;
CREATE UNIQUE INDEX moc_instructions_user_slug_unique ON moc_instructions (user_id, slug);
