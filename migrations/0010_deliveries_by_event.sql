-- One index instead of two. Settling a delivery writes to every index of its row, so each costs throughput; beginning
-- with the event, the key also finds the deliveries of an event, for which there was an index of its own.

alter table webhook_deliveries drop constraint webhook_deliveries_pkey;
alter table webhook_deliveries add primary key (business_id, event_id, endpoint_id);
drop index webhook_deliveries_by_event;
