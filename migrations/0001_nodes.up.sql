-- The hosts that share this database. Each start of a node raises its epoch; a
-- process that still writes with an older one is refused by the foreign key of groups.
CREATE TABLE nodes (
    name       text        PRIMARY KEY CONSTRAINT nodes_name_there CHECK (name <> ''),
    address    text        NOT NULL,
    version    text        NOT NULL,
    epoch      bigint      NOT NULL CONSTRAINT nodes_epoch_counts CHECK (epoch >= 1),
    first_seen timestamptz NOT NULL DEFAULT now(),
    last_seen  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT nodes_epoch UNIQUE (name, epoch)
);

-- The last committed group of changes of each node. A writer that lost the answer to
-- its COMMIT inserts the id again: a conflict says that the group was committed,
-- success that it never will be. The next group deletes the row.
CREATE TABLE groups (
    id    uuid   PRIMARY KEY,
    node  text   NOT NULL,
    epoch bigint NOT NULL,
    -- The id of the group's last change.
    last  bigint,
    CONSTRAINT groups_epoch FOREIGN KEY (node, epoch)
        REFERENCES nodes (name, epoch) ON UPDATE CASCADE
);
