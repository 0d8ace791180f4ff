-- left_at is when a node stopped in order, null while it runs and where it just ended.
ALTER TABLE nodes ADD COLUMN left_at timestamptz;

-- What another node needs to pass a call on to this one: the SHA-256 of the certificate
-- that it serves with, empty for plain HTTP, and the secret that proves to it that a call
-- comes from a node. Each start makes another secret.
ALTER TABLE nodes
    ADD COLUMN fingerprint bytea NOT NULL DEFAULT '',
    ADD COLUMN secret      bytea NOT NULL DEFAULT '';
