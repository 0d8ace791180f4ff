-- Which programs may read and write a version of the schema: those that know it, and older
-- ones down to the one whose newest version is oldest_program. Each migration from this one
-- on adds its row; without one no older program may.
CREATE TABLE schema_versions (
    version        bigint PRIMARY KEY,
    oldest_program bigint NOT NULL CONSTRAINT schema_versions_oldest_knows_less CHECK (oldest_program BETWEEN 1 AND version)
);
INSERT INTO schema_versions (version, oldest_program) VALUES (10, 10);

-- How far the database's clock is ahead of that of the node's host, null where it was not
-- measured yet.
ALTER TABLE nodes ADD COLUMN clock_offset interval;
