-- The stored answers: the first answers to requests with an Idempotency-Key, which
-- retries get again. Of the request's body there is only a hash.
CREATE TABLE kept (
    principal text        NOT NULL,
    method    text        NOT NULL,
    path      text        NOT NULL,
    key       text        NOT NULL,
    body_hash bytea       NOT NULL,
    status    integer     NOT NULL CONSTRAINT kept_status_final CHECK (status BETWEEN 200 AND 499),
    header    jsonb       NOT NULL,
    body      bytea       NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT kept_key PRIMARY KEY (principal, method, path, key)
);
CREATE INDEX kept_at ON kept (at);
