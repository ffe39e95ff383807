-- The operator's log of all shops: ids begin with their time, so one column has the entries in order. An expression, so that the log of one
-- shop cannot use it: it would read the entries of all others.
create index concurrently audit_entries_by_time on audit_entries ((id || ''));
