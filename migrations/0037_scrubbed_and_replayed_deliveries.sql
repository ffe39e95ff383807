-- is_scrubbed: its event was scrubbed. The row's lock decides whether an attempt in flight is recorded before the erasure, which then
-- deletes the response, or after it, and then no response is stored. replay_id: the last replay that queued it.
alter table webhook_deliveries
  add column is_scrubbed boolean not null default false,
  add column replay_id text collate "C";
