DELETE FROM schema_versions WHERE version = 12;
ALTER TABLE changes DROP COLUMN actor_kind;
DROP TABLE audit, signin_links, sessions, users, tokens;
