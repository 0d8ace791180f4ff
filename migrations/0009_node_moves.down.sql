-- Programs before this migration cannot read changes of nodes: they are deleted, as the
-- retention deletes, and whoever follows the log from before the last of them is told so.
SELECT set_config('datapi.prune', 'on', true);
WITH deleted AS (
    DELETE FROM changes WHERE object_type = 'node' RETURNING id, at
)
UPDATE change_head SET gone = greatest(gone, d.top), gone_at = greatest(gone_at, d.top_at)
FROM (SELECT max(id) AS top, max(at) AS top_at FROM deleted) d WHERE d.top IS NOT NULL;
SELECT set_config('datapi.prune', 'off', true);

ALTER TABLE changes
    DROP CONSTRAINT changes_type_known,
    ADD CONSTRAINT changes_type_known CHECK (object_type IN
        ('ia', 'pz', 'evd', 'srq', 'lmr', 'rmr', 'endpoint', 'psp', 'rsp', 'cr'));

ALTER TABLE nodes
    DROP COLUMN id,
    DROP COLUMN state,
    DROP COLUMN state_at,
    DROP COLUMN state_version,
    DROP COLUMN changes_behind,
    DROP COLUMN retirement,
    DROP COLUMN retired_at;
