-- The messages of a business with one status, newest first. An expression for the same reasons as messages_by_reference.
create index concurrently messages_by_status on messages ((business_id || ' ' || status || ' ' || id));
