-- Who may. Of secrets only the hashes are kept.
CREATE TABLE tokens (
    id         uuid        PRIMARY KEY,
    hash       bytea       NOT NULL CONSTRAINT tokens_hash UNIQUE,
    name       text        NOT NULL CONSTRAINT tokens_name UNIQUE,
    role       text        NOT NULL CONSTRAINT tokens_role CHECK (role IN ('viewer', 'operator', 'admin')),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text        NOT NULL,
    -- Null for one that does not end by itself.
    expires_at timestamptz
);
CREATE TABLE users (
    name       text        PRIMARY KEY,
    role       text        NOT NULL CONSTRAINT users_role CHECK (role IN ('viewer', 'operator', 'admin')),
    -- The argon2id hash, null for a user who signs in by links alone.
    password   text,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text        NOT NULL
);
-- A session is that of a token, of a user, or of whoever brought the token that a service was
-- started with; then local is its hash.
CREATE TABLE sessions (
    id         uuid        PRIMARY KEY,
    hash       bytea       NOT NULL CONSTRAINT sessions_hash UNIQUE,
    token      uuid        REFERENCES tokens (id) ON DELETE CASCADE,
    user_name  text        REFERENCES users (name) ON DELETE CASCADE,
    local      bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    address    text        NOT NULL,
    agent      text        NOT NULL,
    CONSTRAINT sessions_of_one CHECK (num_nonnulls(token, user_name, local) = 1)
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE INDEX sessions_token ON sessions (token);
CREATE INDEX sessions_user ON sessions (user_name);
-- Links that sign somebody in once.
CREATE TABLE signin_links (
    hash       bytea       PRIMARY KEY,
    token      uuid        REFERENCES tokens (id) ON DELETE CASCADE,
    user_name  text        REFERENCES users (name) ON DELETE CASCADE,
    local      bytea,
    expires_at timestamptz NOT NULL,
    CONSTRAINT signin_links_of_one CHECK (num_nonnulls(token, user_name, local) = 1)
);
-- What was done about who may, and what was refused for want of rights.
CREATE TABLE audit (
    -- A UUID of version 7: grows with time.
    id         uuid        PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    node       text        NOT NULL,
    actor      text        NOT NULL,
    actor_kind text        NOT NULL,
    action     text        NOT NULL,
    object     text,
    address    text        NOT NULL,
    reason     text,
    outcome    text        NOT NULL CONSTRAINT audit_outcome CHECK (outcome IN ('done', 'refused')),
    detail     text,
    request_id text        NOT NULL
);
CREATE INDEX audit_at ON audit (at);
-- Null for changes from before, and where an older program wrote it.
ALTER TABLE changes ADD COLUMN actor_kind text;
INSERT INTO schema_versions (version, oldest_program) VALUES (12, 10);
