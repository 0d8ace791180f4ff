ALTER TABLE nodes DROP COLUMN clock_offset;
DROP TABLE schema_versions;
