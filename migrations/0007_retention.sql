-- What is old enough is deleted a little at a time, oldest first, so every age needs an index in order. The block
-- ranges that stood here lose that: once the room of deleted rows is used again, every range holds old and new, and
-- each look would read the whole table.

drop index idempotency_records_by_age;
create index idempotency_records_by_age on idempotency_records (expires_at);
drop index links_by_age;
create index links_by_age on links (expires_at);
create index inbox_sessions_by_age on inbox_sessions (expires_at);
drop index events_by_age;
create index events_by_age on events (occurred_at);
-- Attempts go with the event they were about.
drop index webhook_attempts_by_age;
create index provider_reports_by_age on provider_reports (received_at);
create index sandbox_messages_by_age on sandbox_messages (at);

-- An erasure takes along the reports that its person's captured messages have yet to cause.
create index sandbox_reports_by_provider_id on sandbox_reports (provider_id);
