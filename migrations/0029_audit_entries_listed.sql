-- The operator's log of all shops: ids begin with their time, so one column has the entries in order.
create index concurrently audit_entries_by_time on audit_entries (id);
