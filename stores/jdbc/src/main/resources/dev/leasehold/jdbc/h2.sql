-- Leasehold, schema version 1, H2. Times are microseconds of the machine's clock since 1970.
-- H2's own clock stands still within a statement that waits for a lock, so the machine's is asked instead.
CREATE ALIAS IF NOT EXISTS LEASEHOLD_NOW_MILLIS FOR 'java.lang.System.currentTimeMillis';

CREATE TABLE IF NOT EXISTS leasehold_lease (
    k           VARBINARY(512) NOT NULL PRIMARY KEY,
    state       CHAR(1) NOT NULL,
    nonce       CHAR(32),
    tombstone   CHAR(32),
    owner       VARCHAR(255),
    fence       BIGINT NOT NULL,
    expiry      BIGINT NOT NULL,
    ttl         BIGINT NOT NULL,
    since       BIGINT NOT NULL,
    cooldown    BIGINT NOT NULL, -- while free how long the key stays closed, else the number of the last checkpoint
    attempts    INT NOT NULL, -- below zero while a lease that was handed over is not confirmed
    waited      BIGINT DEFAULT 0 NOT NULL, -- how often the line changed, 0 if nobody stands in it
    fingerprint VARCHAR(255),
    prev_owner  VARCHAR(255),
    prev_fence  BIGINT,
    payload     VARBINARY
);

CREATE TABLE IF NOT EXISTS leasehold_line (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    k           VARBINARY(512) NOT NULL,
    nonce       CHAR(32) NOT NULL,
    owner       VARCHAR(255) NOT NULL,
    ttl         BIGINT NOT NULL,
    fingerprint VARCHAR(255),
    since       BIGINT NOT NULL,
    until       BIGINT NOT NULL,
    node        CHAR(16) NOT NULL,
    UNIQUE (k, nonce)
);
CREATE INDEX IF NOT EXISTS leasehold_line_key ON leasehold_line (k, id);

CREATE TABLE IF NOT EXISTS leasehold_history (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    k           VARBINARY(512) NOT NULL,
    happened    BIGINT NOT NULL,
    kind        VARCHAR(32) NOT NULL,
    owner       VARCHAR(255),
    fence       BIGINT NOT NULL, -- 0: not about a lease
    reason      VARCHAR(1000) NOT NULL,
    actor       VARCHAR(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS leasehold_history_key ON leasehold_history (k, id);
CREATE INDEX IF NOT EXISTS leasehold_history_time ON leasehold_history (happened);

CREATE TABLE IF NOT EXISTS leasehold_schema (version INT NOT NULL PRIMARY KEY);
INSERT INTO leasehold_schema (version) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM leasehold_schema);
