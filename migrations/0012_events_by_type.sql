-- A page of a rare type is found without reading the events in between, so that `has_more` is exact at any size.
create index concurrently events_by_type on events (business_id, type, position) where position is not null;
