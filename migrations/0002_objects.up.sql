-- The recorded objects. body is the whole object as JSON, without its live members
-- and with the version of its form; the columns beside it are what lists filter and
-- sort by.
CREATE TABLE objects (
    id             text        PRIMARY KEY CONSTRAINT objects_id_there CHECK (id <> ''),
    type           text        NOT NULL CONSTRAINT objects_type_known CHECK (type IN
        ('ia', 'pz', 'evd', 'srq', 'lmr', 'rmr', 'endpoint', 'psp', 'rsp', 'cr')),
    node           text        NOT NULL CONSTRAINT objects_node REFERENCES nodes (name),
    ia             text        NOT NULL CONSTRAINT objects_ia_there CHECK (ia <> ''),
    name           text,
    version        bigint      NOT NULL CONSTRAINT objects_version_counts CHECK (version >= 1),
    -- The id of the change that created it: the order in which creations were committed.
    created_change bigint      NOT NULL CONSTRAINT objects_created_change UNIQUE,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    freed_at       timestamptz,
    -- The handles of the objects that this one uses.
    refs           text[]      NOT NULL,
    body           jsonb       NOT NULL,
    labels            jsonb GENERATED ALWAYS AS (body -> 'labels') STORED,
    state             text  GENERATED ALWAYS AS (body ->> 'state') STORED,
    remote_ia_address text  GENERATED ALWAYS AS (body ->> 'remote_ia_address') STORED,

    CONSTRAINT objects_name_pattern CHECK (type = 'ia' OR name ~ '^[a-z0-9._-]{1,63}$'),
    CONSTRAINT objects_updated_after_created CHECK (updated_at >= created_at),
    CONSTRAINT objects_freed_after_created CHECK (freed_at >= created_at),
    CONSTRAINT objects_labels_object CHECK ((jsonb_typeof(body -> 'labels') = 'object') IS TRUE),
    CONSTRAINT objects_body_agrees CHECK (
        (body ->> 'id' = id AND body ->> 'ia' = ia AND body ->> 'node' = node
            AND (body ->> 'version')::bigint = version) IS TRUE
        AND (body ->> 'name') IS NOT DISTINCT FROM name),
    CONSTRAINT objects_state_known CHECK (CASE type
        WHEN 'endpoint' THEN (state IN ('UNCONNECTED', 'RESERVED', 'PASSIVE_CONNECTION_PENDING',
            'ACTIVE_CONNECTION_PENDING', 'TENTATIVE_CONNECTION_PENDING', 'CONNECTED',
            'DISCONNECT_PENDING', 'DISCONNECTED', 'COMPLETION_PENDING')) IS TRUE
        WHEN 'ia' THEN (state IN ('UP', 'DOWN', 'GONE')) IS TRUE
        WHEN 'srq' THEN (state IN ('OPERATIONAL', 'ERROR')) IS TRUE
        ELSE state IS NULL END),
    CONSTRAINT objects_remote_address_fits_state CHECK (type <> 'endpoint' OR CASE
        WHEN state IN ('UNCONNECTED', 'RESERVED') THEN remote_ia_address IS NULL
        WHEN state = 'CONNECTED' THEN remote_ia_address IS NOT NULL
        ELSE true END),
    CONSTRAINT objects_marks_in_range CHECK (type <> 'endpoint' OR (
        (coalesce((body #>> '{watermarks,soft_high}')::bigint, 0) BETWEEN 0 AND 2147483647
        AND coalesce((body #>> '{watermarks,hard_high}')::bigint, 0) BETWEEN 0 AND 2147483647) IS TRUE)),
    CONSTRAINT objects_armed_is_finite CHECK (type <> 'endpoint' OR (
        (body #>> '{watermarks,soft_high}' IS NOT NULL OR NOT (body #>> '{watermarks,soft_armed}')::boolean) IS TRUE
        AND ((body #>> '{watermarks,hard_high}' IS NOT NULL) = (body #>> '{watermarks,hard_armed}')::boolean) IS TRUE)),
    CONSTRAINT objects_counts_in_range CHECK (type <> 'endpoint' OR (
        ((body #>> '{attributes,max_recv_dtos}')::bigint BETWEEN 0 AND 2147483647
        AND (body #>> '{attributes,max_request_dtos}')::bigint BETWEEN 0 AND 2147483647
        AND (body #>> '{attributes,max_message_size}')::bigint >= 0
        AND (body #>> '{attributes,max_rdma_size}')::bigint >= 0) IS TRUE)),
    CONSTRAINT objects_qualifier_in_range CHECK (type NOT IN ('psp', 'rsp', 'cr')
        OR ((body ->> 'conn_qual')::bigint BETWEEN 1 AND 65535) IS TRUE),
    CONSTRAINT objects_queue_in_range CHECK (type <> 'evd'
        OR ((body ->> 'qlen')::bigint BETWEEN 1 AND 2147483647) IS TRUE)
);

-- The name of an IA is unique on its node; every other name is unique among the living
-- objects of its type.
CREATE UNIQUE INDEX objects_name_living ON objects (type, name)
    WHERE freed_at IS NULL AND type <> 'ia';
CREATE INDEX objects_list ON objects (type, created_change) WHERE freed_at IS NULL;
CREATE INDEX objects_node_living ON objects (node, created_change) WHERE freed_at IS NULL;
CREATE INDEX objects_freed ON objects (freed_at) WHERE freed_at IS NOT NULL;
CREATE INDEX objects_refs ON objects USING gin (refs) WHERE freed_at IS NULL;
CREATE INDEX objects_labels ON objects USING gin (labels jsonb_path_ops) WHERE freed_at IS NULL;
