-- How long changes are kept: one setting for all nodes, which one of them at a time carries
-- out. Null until somebody has set it; all changes are kept then.
CREATE TABLE retention (
    one       boolean     PRIMARY KEY DEFAULT true CONSTRAINT retention_one CHECK (one),
    age       interval    CONSTRAINT retention_age_positive CHECK (age > interval '0'),
    set_by    text,
    set_at    timestamptz,
    -- When it was last carried out, null if it was not since it was set.
    pruned_at timestamptz,
    CONSTRAINT retention_set CHECK (num_nulls(age, set_by, set_at) IN (0, 3))
);
INSERT INTO retention DEFAULT VALUES;
