-- Customers of a business by the beginning of their address. One expression, so that no other statement can use the index (see messages_by_reference).
create index concurrently recipients_by_address on recipients ((business_id || ' ' || email));
