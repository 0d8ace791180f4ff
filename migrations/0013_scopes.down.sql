DELETE FROM schema_versions WHERE version = 13;
ALTER TABLE changes DROP COLUMN labels;
-- Nobody's rights grow: who was restricted is gone.
DELETE FROM tokens WHERE scope IS NOT NULL;
DELETE FROM users WHERE scope IS NOT NULL;
ALTER TABLE tokens DROP CONSTRAINT tokens_role, DROP CONSTRAINT tokens_scope, DROP COLUMN scope,
    ADD CONSTRAINT tokens_role CHECK (role IN ('viewer', 'operator', 'admin'));
ALTER TABLE users DROP CONSTRAINT users_role, DROP CONSTRAINT users_scope, DROP COLUMN scope,
    ADD CONSTRAINT users_role CHECK (role IN ('viewer', 'operator', 'admin'));
