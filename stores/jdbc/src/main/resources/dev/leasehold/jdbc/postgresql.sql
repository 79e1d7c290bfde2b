-- Leasehold, schema version 1, PostgreSQL. Times are microseconds of the server's clock since 1970.
-- Nothing but the key is indexed, so that grants and renewals can be done within the page (HOT).
CREATE TABLE IF NOT EXISTS leasehold_lease (
    k           text COLLATE "C" PRIMARY KEY,
    state       text COLLATE "C" NOT NULL,
    nonce       text COLLATE "C",
    tombstone   text COLLATE "C",
    owner       text,
    fence       bigint NOT NULL,
    expiry      bigint NOT NULL,
    ttl         bigint NOT NULL,
    since       bigint NOT NULL,
    cooldown    bigint NOT NULL, -- while free how long the key stays closed, else the number of the last checkpoint
    attempts    integer NOT NULL, -- below zero while a lease that was handed over is not confirmed
    waited      bigint DEFAULT 0 NOT NULL, -- how often the line changed, 0 if nobody stands in it
    fingerprint text COLLATE "C",
    prev_owner  text,
    prev_fence  bigint,
    payload     bytea
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS leasehold_line (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    k           text COLLATE "C" NOT NULL,
    nonce       text COLLATE "C" NOT NULL,
    owner       text NOT NULL,
    ttl         bigint NOT NULL,
    fingerprint text COLLATE "C",
    since       bigint NOT NULL,
    until       bigint NOT NULL,
    node        text NOT NULL,
    UNIQUE (k, nonce)
);
CREATE INDEX IF NOT EXISTS leasehold_line_key ON leasehold_line (k, id);

CREATE TABLE IF NOT EXISTS leasehold_history (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    k           text COLLATE "C" NOT NULL,
    happened    bigint NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    owner       text,
    fence       bigint NOT NULL, -- 0: not about a lease
    reason      text NOT NULL,
    actor       text NOT NULL
);
CREATE INDEX IF NOT EXISTS leasehold_history_key ON leasehold_history (k, id);
CREATE INDEX IF NOT EXISTS leasehold_history_time ON leasehold_history (happened);

CREATE TABLE IF NOT EXISTS leasehold_schema (version integer NOT NULL PRIMARY KEY);
INSERT INTO leasehold_schema (version) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM leasehold_schema);
