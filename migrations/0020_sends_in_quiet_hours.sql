-- When a send was due that waits for the end of quiet hours; null: it does not.
alter table sends add column deferred_from timestamptz;
