-- The deliveries of an endpoint that ended in one state, newest event first. One expression instead of three columns, so that no other
-- statement can use the index and the list can use no other: while the table is empty, or with a plan that is kept, the planner rates
-- an index with the endpoint as highly as the primary key, and a delivery would then be found by reading all of its endpoint.
-- Pending ones are not in it: webhook_deliveries_due has them, and a delivery pays for this index once, when it ends.
create index concurrently webhook_deliveries_listed on webhook_deliveries ((endpoint_id || ' ' || state || ' ' || event_id))
  where state <> 'pending';
