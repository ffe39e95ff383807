create unique index concurrently events_by_position on events (business_id, position) where position is not null;
