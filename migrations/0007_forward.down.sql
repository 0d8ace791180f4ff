ALTER TABLE nodes
    DROP COLUMN secret,
    DROP COLUMN fingerprint;
