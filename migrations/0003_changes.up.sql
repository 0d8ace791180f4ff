-- The append-only log of changes. Ids are integers without a gap, in the order of commit.
CREATE TABLE changes (
    id          bigint      PRIMARY KEY CONSTRAINT changes_id_counts CHECK (id >= 1),
    at          timestamptz NOT NULL,
    node        text        NOT NULL,
    ia          text        NOT NULL,
    object_type text        NOT NULL CONSTRAINT changes_type_known CHECK (object_type IN
        ('ia', 'pz', 'evd', 'srq', 'lmr', 'rmr', 'endpoint', 'psp', 'rsp', 'cr')),
    -- Empty for a refused creation.
    object_id   text        NOT NULL,
    object_name text,
    cause       text        NOT NULL CONSTRAINT changes_cause_there CHECK (cause <> ''),
    actor       text        NOT NULL,
    request_id  text,
    reason      text        CONSTRAINT changes_reason_short CHECK (length(reason) <= 500),
    outcome     text        NOT NULL CONSTRAINT changes_outcome_known CHECK (outcome IN (
        'DAT_SUCCESS', 'DAT_ABORT', 'DAT_CONN_QUAL_IN_USE', 'DAT_INSUFFICIENT_RESOURCES',
        'DAT_INTERNAL_ERROR', 'DAT_INVALID_HANDLE', 'DAT_INVALID_PARAMETER', 'DAT_INVALID_STATE',
        'DAT_LENGTH_ERROR', 'DAT_MODEL_NOT_SUPPORTED', 'DAT_PROVIDER_NOT_FOUND',
        'DAT_PRIVILEGES_VIOLATION', 'DAT_PROTECTION_VIOLATION', 'DAT_QUEUE_EMPTY', 'DAT_QUEUE_FULL',
        'DAT_TIMEOUT_EXPIRED', 'DAT_PROVIDER_ALREADY_REGISTERED', 'DAT_PROVIDER_IN_USE',
        'DAT_INVALID_ADDRESS', 'DAT_INTERRUPTED_CALL', 'DAT_CONN_QUAL_UNAVAILABLE', 'DAT_RESERVED_LMR',
        'DAT_PORT_IN_USE', 'DAT_COMM_NOT_SUPPORTED', 'DAT_NOT_IMPLEMENTED')),
    fields      text[]      NOT NULL,
    before      jsonb,
    -- Null for a creation, whose after is the image.
    after       jsonb,
    -- The whole object after the change; null for an end and for a refusal.
    image       jsonb,
    version     bigint      NOT NULL,
    reverted_to bigint,

    CONSTRAINT changes_version_counts CHECK (version >= 1 OR (version = 0 AND before IS NULL AND image IS NULL)),
    CONSTRAINT changes_of_an_object CHECK (object_id <> '' OR (before IS NULL AND image IS NULL)),
    CONSTRAINT changes_refusal_changes_nothing CHECK (before IS NOT NULL OR image IS NOT NULL
        OR (after IS NULL AND fields = '{}')),
    CONSTRAINT changes_reverted_to_counts CHECK (reverted_to >= 1)
);

CREATE INDEX changes_object ON changes (object_id, id);
CREATE INDEX changes_at ON changes (at);
-- Each version of an object is made by one change.
CREATE UNIQUE INDEX changes_version ON changes (object_id, version)
    WHERE before IS NOT NULL OR image IS NOT NULL;

-- The end of the log. Its row is locked from the moment when ids are taken until the
-- commit, so that ids are committed in order and without a gap.
CREATE TABLE change_head (
    one     boolean PRIMARY KEY DEFAULT true CONSTRAINT change_head_one CHECK (one),
    last    bigint NOT NULL DEFAULT 0,
    -- The highest id that the retention deleted, and the time of that change.
    gone    bigint NOT NULL DEFAULT 0,
    gone_at timestamptz,
    CONSTRAINT change_head_gone_before_last CHECK (gone <= last)
) WITH (fillfactor = 10);
INSERT INTO change_head DEFAULT VALUES;

CREATE FUNCTION changes_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('datapi.prune', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the log of changes is append-only'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'changes_are_kept';
END $$;

CREATE TRIGGER changes_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON changes
    FOR EACH STATEMENT EXECUTE FUNCTION changes_are_kept();

-- prune_changes deletes changes older than a time, the oldest first and at_most so
-- many, but never the last one of an object. It returns how many it deleted.
CREATE FUNCTION prune_changes(older timestamptz, at_most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
    top     bigint;
    top_at  timestamptz;
BEGIN
    PERFORM set_config('datapi.prune', 'on', true);
    WITH old AS (
        SELECT c.id FROM changes c
        WHERE c.at < older AND EXISTS (
            SELECT FROM changes n WHERE n.object_id = c.object_id AND n.id > c.id)
        ORDER BY c.id LIMIT at_most
    ), d AS (
        DELETE FROM changes c USING old WHERE c.id = old.id RETURNING c.id, c.at
    )
    SELECT count(*), max(id), max(at) INTO deleted, top, top_at FROM d;
    PERFORM set_config('datapi.prune', 'off', true);
    IF deleted > 0 THEN
        UPDATE change_head SET gone = greatest(gone, top), gone_at = greatest(gone_at, top_at);
    END IF;
    RETURN deleted;
END $$;
