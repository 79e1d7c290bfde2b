-- Leasehold, schema version 1, MySQL and MariaDB. Times are microseconds of the server's clock since 1970.
-- Keys are the bytes of their UTF-8: every text collation merges some keys that are different.
CREATE TABLE IF NOT EXISTS leasehold_lease (
    k           varbinary(512) NOT NULL PRIMARY KEY,
    state       char(1) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    nonce       char(32) CHARACTER SET ascii COLLATE ascii_bin,
    tombstone   char(32) CHARACTER SET ascii COLLATE ascii_bin,
    owner       varchar(255) CHARACTER SET utf8mb4,
    fence       bigint NOT NULL,
    expiry      bigint NOT NULL,
    ttl         bigint NOT NULL,
    since       bigint NOT NULL,
    cooldown    bigint NOT NULL, -- while free how long the key stays closed, else the number of the last checkpoint
    attempts    int NOT NULL, -- below zero while a lease that was handed over is not confirmed
    waited      bigint DEFAULT 0 NOT NULL, -- how often the line changed, 0 if nobody stands in it
    fingerprint varbinary(255),
    prev_owner  varchar(255) CHARACTER SET utf8mb4,
    prev_fence  bigint,
    payload     longblob
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS leasehold_line (
    id          bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    k           varbinary(512) NOT NULL,
    nonce       char(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    owner       varchar(255) CHARACTER SET utf8mb4 NOT NULL,
    ttl         bigint NOT NULL,
    fingerprint varbinary(255),
    since       bigint NOT NULL,
    until       bigint NOT NULL,
    node        char(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    UNIQUE KEY leasehold_line_nonce (k, nonce),
    KEY leasehold_line_key (k, id)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS leasehold_history (
    id          bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
    k           varbinary(512) NOT NULL,
    happened    bigint NOT NULL,
    kind        varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    owner       varchar(255) CHARACTER SET utf8mb4,
    fence       bigint NOT NULL, -- 0: not about a lease
    reason      varchar(1000) CHARACTER SET utf8mb4 NOT NULL,
    actor       varchar(255) CHARACTER SET utf8mb4 NOT NULL,
    KEY leasehold_history_key (k, id),
    KEY leasehold_history_time (happened)
) ENGINE=InnoDB;

CREATE TABLE IF NOT EXISTS leasehold_schema (version int NOT NULL PRIMARY KEY) ENGINE=InnoDB;
INSERT INTO leasehold_schema (version) SELECT 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM leasehold_schema);
