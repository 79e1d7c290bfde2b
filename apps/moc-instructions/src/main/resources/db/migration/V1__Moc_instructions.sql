-- The columns as the first system had them.
CREATE TABLE moc_instructions (
    id            uuid PRIMARY KEY,
    user_id       text NOT NULL,
    title         text NOT NULL,
    thumbnail_key text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    finalized_at  timestamptz NULL,
    finalizing_at timestamptz NULL,
    CONSTRAINT moc_instructions_user_title_unique UNIQUE (user_id, title)
);

CREATE TABLE moc_files (
    moc_id       uuid NOT NULL REFERENCES moc_instructions (id) ON DELETE CASCADE,
    position     int NOT NULL,
    name         text NOT NULL,
    size         bigint NOT NULL,
    content_type text NOT NULL,
    sha256       text NOT NULL,
    is_thumbnail boolean NOT NULL,
    PRIMARY KEY (moc_id, position)
);
