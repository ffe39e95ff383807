-- A test of an endpoint is an attempt without an event, so nothing takes it along: it is found by its age. Few rows, a
-- small index; without it each look for old ones would read the whole log.

create index webhook_attempts_pings_by_age on webhook_attempts (at) where event_id like 'ping%';
