-- The feed of a business's events (docs/adr/0009-the-order-of-the-event-feed.md).

-- A reader gives a committed event its place; null: none has yet. A writer knows neither when it commits nor who commits before it.
-- Placing rewrites the row, so vacuum comes as often as for deliveries: a look for unplaced events would step over the dead entries.
alter table events add column position bigint, set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- One row per business that has read its feed. Its lock lets one reader place events at a time.
create table event_feeds (
  business_id       text collate "C" not null references businesses,
  last_position     bigint not null default 0,  -- the last one given away
  expired_position  bigint not null default 0,  -- the last one whose event retention deleted
  primary key (business_id)
);
