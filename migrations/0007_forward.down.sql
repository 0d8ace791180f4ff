ALTER TABLE nodes
    DROP COLUMN left_at,
    DROP COLUMN secret,
    DROP COLUMN fingerprint;
