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
