-- The log in partitions by id, which is by time: what is past the retention is dropped with
-- its partition. The rows that are there become the first one, without being copied. It has
-- room for two million more; further partitions are made in time by the node that carries
-- out the retention. The last one is open upwards, so that no insert ever lacks one, and is
-- empty but where nobody was in time.
INSERT INTO schema_versions (version, oldest_program) VALUES (11, 10);

ALTER TABLE changes RENAME TO changes_first;
ALTER INDEX changes_pkey RENAME TO changes_first_pkey;
ALTER INDEX changes_object RENAME TO changes_first_object;
ALTER INDEX changes_at RENAME TO changes_first_at;
ALTER INDEX changes_version RENAME TO changes_first_version;

CREATE TABLE changes (LIKE changes_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (id);
CREATE TRIGGER changes_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON changes
    FOR EACH STATEMENT EXECUTE FUNCTION changes_are_kept();

-- complete_change_partition gives a table what the first partition has: the indexes and the
-- trigger. The indexes are each partition's own: pg_restore --clean fails on those that
-- belong to an index of the whole, and that of versions has no id. No id can be in two
-- partitions; that no version is, is kept by the version of the object's row, which one change
-- at a time raises.
CREATE FUNCTION complete_change_partition(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (id)', name, name || '_pkey');
    EXECUTE format('CREATE INDEX %I ON %I (object_id, id)', name || '_object', name);
    EXECUTE format('CREATE INDEX %I ON %I (at)', name || '_at', name);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (object_id, version) WHERE before IS NOT NULL OR image IS NOT NULL',
        name || '_version', name);
    EXECUTE format('CREATE TRIGGER changes_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
        FOR EACH STATEMENT EXECUTE FUNCTION changes_are_kept()', name);
END $$;

DO $$
DECLARE
    beyond bigint := (SELECT last + 1 + 2 * 1048576 FROM change_head);
BEGIN
    EXECUTE format('ALTER TABLE changes ATTACH PARTITION changes_first FOR VALUES FROM (MINVALUE) TO (%s)', beyond);
    EXECUTE format('CREATE TABLE changes_open PARTITION OF changes FOR VALUES FROM (%s) TO (MAXVALUE)', beyond);
    PERFORM complete_change_partition('changes_open');
END $$;

-- Whoever reads the end of the log joins these: one row each, which the planner takes for
-- thousands as long as nobody has told it, each with a look into every partition.
ANALYZE change_head, retention;
