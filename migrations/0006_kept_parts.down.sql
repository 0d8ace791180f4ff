DELETE FROM kept WHERE to_operation > 0;
ALTER TABLE kept
    DROP CONSTRAINT kept_key,
    DROP COLUMN from_operation,
    DROP COLUMN to_operation,
    ADD CONSTRAINT kept_key PRIMARY KEY (principal, method, path, key);
