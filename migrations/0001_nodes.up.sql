-- The hosts that share this database. A start raises the epoch; whoever still
-- writes with an older one is refused by the foreign key of groups.
CREATE TABLE nodes (
    name       text        PRIMARY KEY CONSTRAINT nodes_name_there CHECK (name <> ''),
    address    text        NOT NULL,
    version    text        NOT NULL,
    epoch      bigint      NOT NULL CONSTRAINT nodes_epoch_counts CHECK (epoch >= 1),
    first_seen timestamptz NOT NULL DEFAULT now(),
    last_seen  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT nodes_epoch UNIQUE (name, epoch)
);

-- One row per committed group of changes. A writer whose answer was lost inserts
-- its id again: a conflict says that the group was committed, success that it
-- never will be. A node's older rows are deleted by its next group.
CREATE TABLE groups (
    id    uuid   PRIMARY KEY,
    node  text   NOT NULL,
    epoch bigint NOT NULL,
    -- The id of the group's last change.
    last  bigint,
    CONSTRAINT groups_epoch FOREIGN KEY (node, epoch)
        REFERENCES nodes (name, epoch) ON UPDATE CASCADE
);
