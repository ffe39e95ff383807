-- The newest shipment with a number. One expression, so that no other statement can use the index (see messages_by_reference).
create index concurrently shipments_by_number on shipments ((business_id || ' ' || tracking_number || ' ' || id));
