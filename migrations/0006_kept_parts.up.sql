-- The answer to a batch that goes on after a refusal is stored in parts: each commit
-- stores the results of its operations. A part has the results of the operations from
-- from_operation up to, but not including, to_operation; both are 0 for a whole answer.
-- A part without a body says that these operations may have been carried out.
ALTER TABLE kept
    ADD COLUMN from_operation integer NOT NULL DEFAULT 0,
    ADD COLUMN to_operation   integer NOT NULL DEFAULT 0,
    ADD CONSTRAINT kept_part CHECK (from_operation = 0 AND to_operation = 0
        OR from_operation >= 0 AND to_operation > from_operation),
    DROP CONSTRAINT kept_key,
    ADD CONSTRAINT kept_key PRIMARY KEY (principal, method, path, key, from_operation);
