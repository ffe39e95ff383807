-- response: what the endpoint answered: its headers, a blank line, and the beginning of its body. Null where it said nothing beside its
-- status, and after 7 days.
alter table webhook_attempts add column response text collate "C";
create index webhook_attempts_responses_by_age on webhook_attempts (at) where response is not null;

-- Its event was scrubbed. The row's lock decides whether an attempt in flight is recorded before the erasure, which then deletes the
-- response, or after it, and then no response is stored.
alter table webhook_deliveries add column is_scrubbed boolean not null default false;

-- Attempts at the URL before say nothing of the one since then. Null: it never changed.
alter table webhook_endpoints add column url_changed_at timestamptz;

-- A time window that was sent again. What is left of it are its pending deliveries.
create table webhook_replays (
  business_id  text collate "C" not null,
  endpoint_id  text collate "C" not null,
  id           text collate "C" not null,
  since        timestamptz not null,
  until        timestamptz not null,
  started_at   timestamptz not null,
  queued       integer not null,
  primary key (business_id, endpoint_id, id),
  foreign key (business_id, endpoint_id) references webhook_endpoints (business_id, id)
);
create index webhook_replays_by_age on webhook_replays (started_at);
alter table webhook_deliveries add column replay_id text collate "C";  -- the last replay that queued it
