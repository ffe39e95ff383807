-- The messages of a business that are obsolete or retracted, newest first. An expression for the same reasons as messages_by_reference.
-- Active messages are not in it, so that a push pays nothing for it: they are most of all, and the primary key finds them.
create index concurrently messages_by_status on messages ((business_id || ' ' || status || ' ' || id)) where status <> 'active';
