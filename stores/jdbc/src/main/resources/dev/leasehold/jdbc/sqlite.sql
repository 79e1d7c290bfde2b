-- Leasehold, schema version 1, SQLite. Times are microseconds of the machine's clock since 1970.
CREATE TABLE IF NOT EXISTS leasehold_lease (
    k           TEXT NOT NULL PRIMARY KEY,
    state       TEXT NOT NULL,
    nonce       TEXT,
    tombstone   TEXT,
    owner       TEXT,
    fence       INTEGER NOT NULL,
    expiry      INTEGER NOT NULL,
    ttl         INTEGER NOT NULL,
    since       INTEGER NOT NULL,
    cooldown    INTEGER NOT NULL, -- while free how long the key stays closed, else the number of the last checkpoint
    attempts    INTEGER NOT NULL, -- below zero while a lease that was handed over is not confirmed
    waited      INTEGER DEFAULT 0 NOT NULL, -- how often the line changed, 0 if nobody stands in it
    fingerprint TEXT,
    prev_owner  TEXT,
    prev_fence  INTEGER,
    payload     BLOB
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS leasehold_line (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    k           TEXT NOT NULL,
    nonce       TEXT NOT NULL,
    owner       TEXT NOT NULL,
    ttl         INTEGER NOT NULL,
    fingerprint TEXT,
    since       INTEGER NOT NULL,
    until       INTEGER NOT NULL,
    node        TEXT NOT NULL,
    UNIQUE (k, nonce)
);
CREATE INDEX IF NOT EXISTS leasehold_line_key ON leasehold_line (k, id);

CREATE TABLE IF NOT EXISTS leasehold_history (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    k           TEXT NOT NULL,
    happened    INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    owner       TEXT,
    fence       INTEGER NOT NULL, -- 0: not about a lease
    reason      TEXT NOT NULL,
    actor       TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS leasehold_history_key ON leasehold_history (k, id);
CREATE INDEX IF NOT EXISTS leasehold_history_time ON leasehold_history (happened);

CREATE TABLE IF NOT EXISTS leasehold_schema (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO leasehold_schema (version) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM leasehold_schema);
