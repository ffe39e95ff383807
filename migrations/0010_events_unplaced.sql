-- Readers take from here the events to place. All that a writer pays for the feed is an entry in this index.
create index concurrently events_unplaced on events (business_id, id) where position is null;
