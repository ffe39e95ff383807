create index concurrently events_by_message on events (business_id, message_id, position) where position is not null and message_id is not null;
