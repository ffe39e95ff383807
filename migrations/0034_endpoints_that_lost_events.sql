-- The shops whose events do not arrive. A delivery updates the row in place: only a lost event and the next success touch the index.
create index concurrently webhook_endpoints_in_trouble on webhook_endpoints (business_id)
  where deleted_at is null and (disabled_at is not null or consecutive_failures > 0);
