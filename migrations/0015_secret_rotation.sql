-- A rotated secret. secret_sealed is always the newest one; until secret_switches_at, deliveries are signed with the one before it.
alter table webhook_endpoints
  add column previous_secret_sealed bytea,
  add column secret_switches_at timestamptz;
