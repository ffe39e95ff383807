-- The deliveries of an endpoint in one state, newest event first: a page of any of them is one range. One expression instead of three
-- columns, so that no other statement can use the index and this one can use no other: while the table is empty, or with a plan that is
-- kept, the planner rates an index with the endpoint or the business as highly as the primary key, and a delivery would then be found by
-- reading all of its endpoint.
create index concurrently webhook_deliveries_listed on webhook_deliveries ((endpoint_id || ' ' || state || ' ' || event_id));
