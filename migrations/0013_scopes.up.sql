-- What a token or a user is restricted to. The role of one with a scope is another word, so that a
-- program that knows no scopes and runs beside this one refuses the credential, and its sessions,
-- rather than let it do everything.
ALTER TABLE tokens ADD COLUMN scope jsonb,
    DROP CONSTRAINT tokens_role,
    ADD CONSTRAINT tokens_role CHECK (role IN ('viewer', 'operator', 'admin', 'scoped viewer', 'scoped operator', 'scoped admin')),
    ADD CONSTRAINT tokens_scope CHECK ((scope IS NULL) = (role NOT LIKE 'scoped %'));
ALTER TABLE users ADD COLUMN scope jsonb,
    DROP CONSTRAINT users_role,
    ADD CONSTRAINT users_role CHECK (role IN ('viewer', 'operator', 'admin', 'scoped viewer', 'scoped operator', 'scoped admin')),
    ADD CONSTRAINT users_scope CHECK ((scope IS NULL) = (role NOT LIKE 'scoped %'));
-- Of a refusal, which has no image: the labels that its object had. Null for other changes, and where
-- an older program wrote it.
ALTER TABLE changes ADD COLUMN labels jsonb;
INSERT INTO schema_versions (version, oldest_program) VALUES (13, 10);
