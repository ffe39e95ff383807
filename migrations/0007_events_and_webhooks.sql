-- Events, their feed, and the webhooks that deliver them. An event is written in the transaction of the change it reports and fanned out by
-- the same statement.

create table events (
  business_id   text collate "C" not null references businesses,
  id            text collate "C" not null,
  type          text collate "C" not null,
  occurred_at   timestamptz not null,
  message_id    text collate "C",
  recipient_id  text collate "C",
  data          jsonb not null,
  -- Its place in the feed (docs/adr/0009), assigned to a committed event by a reader; null: not yet. A writer knows neither when it
  -- commits nor who commits before it.
  position      bigint,
  primary key (business_id, id)
  -- Assigning it rewrites the row, so vacuum comes as often as for deliveries: a search for events without one would step over dead entries.
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index events_by_recipient on events (business_id, recipient_id) where recipient_id is not null;
create index events_by_age on events (occurred_at);
-- Readers find here the events without a position. A writer pays nothing for the feed but an entry in this index.
create index events_unassigned on events (business_id, id) where position is null;
create unique index events_by_position on events (business_id, position) where position is not null;
-- A page of a rare type is found without reading the events in between, so that `has_more` is exact at any size.
create index events_by_type on events (business_id, type, position) where position is not null;
create index events_by_message on events (business_id, message_id, position) where position is not null and message_id is not null;

-- One row per business that has read its feed. Its lock lets one reader at a time assign positions.
create table event_feeds (
  business_id       text collate "C" not null references businesses,
  last_position     bigint not null default 0,  -- the last one assigned
  expired_position  bigint not null default 0,  -- the last one whose event retention deleted
  primary key (business_id)
);

create table webhook_endpoints (
  business_id             text collate "C" not null references businesses,
  id                      text collate "C" not null,
  url                     text collate "C" not null,
  description             text collate "C" not null default '',
  secret_sealed           bytea not null,           -- the newest one
  secret_masked           text collate "C" not null,
  previous_secret_sealed  bytea,                    -- the one before it, which signs deliveries until secret_switches_at
  secret_switches_at      timestamptz,
  event_types             text[] collate "C" not null default '{}',  -- empty: every event
  consecutive_failures    integer not null default 0,
  disabled_at             timestamptz,
  deleted_at              timestamptz,
  created_at              timestamptz not null,
  last_success_at         timestamptz,
  last_error              text collate "C",
  primary key (business_id, id)
) with (fillfactor = 70);
create unique index webhook_endpoints_url_key on webhook_endpoints (business_id, url) where deleted_at is null;
-- Retention deletes the oldest deleted endpoints first. Others are not in the index, so a delivery pays nothing for it.
create index webhook_endpoints_by_deletion on webhook_endpoints (deleted_at) where deleted_at is not null;

-- The claim and the outcome each update the row; with half of each page free, a claim touches no index. The key begins with the event,
-- so that it also finds the deliveries of an event: each further index costs throughput.
create table webhook_deliveries (
  business_id      text collate "C" not null,
  endpoint_id      text collate "C" not null,
  event_id         text collate "C" not null,
  state            text collate "C" not null default 'pending' check (state in ('pending', 'delivered', 'exhausted', 'stopped')),
  due_at           timestamptz,                 -- pending: attempt from here on, or the end of the lease
  lease            text collate "C",
  attempts         smallint not null default 0, -- since the last replay, which begins the retry schedule anew
  created_at       timestamptz not null,
  settled_at       timestamptz,
  attempts_logged  smallint not null default 0, -- in webhook_attempts, over all replays: the number of the next one without a search
  primary key (business_id, event_id, endpoint_id),
  foreign key (business_id, event_id) references events (business_id, id),
  foreign key (business_id, endpoint_id) references webhook_endpoints (business_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0, fillfactor = 50);
create index webhook_deliveries_due on webhook_deliveries (business_id, endpoint_id, due_at) where due_at is not null;
-- The deliveries of an endpoint that ended in one state, newest event first. One expression instead of three columns, so that no other
-- statement can use the index and the list can use no other: while the table is empty, or with a plan that is kept, the planner rates
-- an index with the endpoint as highly as the primary key, and a delivery would then be found by reading all of its endpoint.
-- Pending ones are not in it: webhook_deliveries_due has them, and a delivery pays for this index once, when it ends.
create index webhook_deliveries_listed on webhook_deliveries ((endpoint_id || ' ' || state || ' ' || event_id))
  where state <> 'pending';

create table webhook_attempts (
  business_id  text collate "C" not null,
  endpoint_id  text collate "C" not null,
  event_id     text collate "C" not null,
  attempt      smallint not null,
  at           timestamptz not null,
  status_code  smallint,
  error        text collate "C",
  duration_ms  integer not null,
  primary key (business_id, endpoint_id, event_id, attempt)
);
-- Attempts are deleted with their event. A test of an endpoint has no event, so retention finds it by its age.
create index webhook_attempts_pings_by_age on webhook_attempts (at) where event_id like 'ping%';
