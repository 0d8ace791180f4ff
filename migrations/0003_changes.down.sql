DROP FUNCTION prune_changes(timestamptz, integer);
DROP TABLE change_head;
DROP TABLE changes;
DROP FUNCTION changes_are_kept();
