ALTER TABLE change_head DROP COLUMN generation;
