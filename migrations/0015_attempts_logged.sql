-- The number of an attempt in the log was one more than the highest there: a search for every attempt written down. The delivery, which
-- is at hand then, counts them now. Unlike `attempts` it goes on after a replay, which begins the schedule anew.
alter table webhook_deliveries add column logged smallint not null default 0;
update webhook_deliveries d set logged = a.logged
from (select business_id, endpoint_id, event_id, max(attempt) as logged from webhook_attempts group by 1, 2, 3) a
where d.business_id = a.business_id and d.endpoint_id = a.endpoint_id and d.event_id = a.event_id;

-- Every row is updated when it is claimed and when it is settled; with room for a second version beside each, a claim touches no index.
alter table webhook_deliveries set (fillfactor = 50);
