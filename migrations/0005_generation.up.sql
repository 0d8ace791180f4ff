-- The generation of the log: 0 as long as the log never went back. Each time it did, because
-- a fail-over lost commits or an older backup was put back, it becomes the time at which that
-- was noticed, in seconds since 1970: no other history of this database has the same one.
ALTER TABLE change_head ADD COLUMN generation bigint NOT NULL DEFAULT 0;
