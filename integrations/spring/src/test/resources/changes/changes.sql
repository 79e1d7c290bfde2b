--liquibase formatted sql
--changeset test:1
CREATE TABLE sheets (id VARCHAR(20) PRIMARY KEY);
