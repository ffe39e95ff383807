-- The messages of a business with one reference, newest first. One expression instead of three columns, so that no other statement can
-- use the index (an index with business_id and id ties with the primary key: 0004) and the list can use no other: with a plan that
-- is kept, a rare reference would be looked for through all messages. Messages without a reference are not in it.
create index concurrently messages_by_reference on messages ((business_id || ' ' || reference || ' ' || id)) where reference is not null;
