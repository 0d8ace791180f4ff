-- What is recorded of a node's state. Each move from one state to another is a change of
-- type node; whoever sees it first records it, under the lock of the node's row.
ALTER TABLE nodes
    -- The id of the node in the log. A node that is retired keeps its id there, and who starts
    -- under its name later gets another one.
    ADD COLUMN id text CONSTRAINT nodes_id UNIQUE,
    -- The state that was recorded last, null before the first.
    ADD COLUMN state text CONSTRAINT nodes_state_known CHECK (state IN ('UP', 'SUSPECT', 'DOWN', 'LEFT')),
    -- The time and the version of the node's last change.
    ADD COLUMN state_at   timestamptz,
    ADD COLUMN state_version bigint NOT NULL DEFAULT 0 CONSTRAINT nodes_state_version_counts CHECK (state_version >= 0),
    -- How many changes of the log the node had not seen at its last heartbeat.
    ADD COLUMN changes_behind bigint NOT NULL DEFAULT 0,
    -- Who retired the node, and why: its objects are being freed. retired_at is when that was
    -- done. The row stays, so that its process never writes again.
    ADD COLUMN retirement jsonb,
    ADD COLUMN retired_at timestamptz CONSTRAINT nodes_retired_by_somebody CHECK (retired_at IS NULL OR retirement IS NOT NULL);

-- Those that are there get ids that are the same in every copy of this database.
UPDATE nodes SET id = md5(name || ' ' || extract(epoch FROM first_seen))::uuid::text;
ALTER TABLE nodes ALTER COLUMN id SET NOT NULL;

ALTER TABLE changes
    DROP CONSTRAINT changes_type_known,
    ADD CONSTRAINT changes_type_known CHECK (object_type IN
        ('ia', 'pz', 'evd', 'srq', 'lmr', 'rmr', 'endpoint', 'psp', 'rsp', 'cr', 'node'));
