-- A plan made while a table is empty is kept for as long as its connection, and so is that of every reference's check. An
-- index that held both business_id and id besides the primary key looked just as good then, and later made each such
-- check read all messages of the business. Named from the person's side it is no match for that question.
drop index messages_by_recipient;
create index messages_by_recipient on messages (recipient_id, id desc);

-- What is captured in the sandbox is written once and seldom read: compressing every mail cost more than its room.
alter table sandbox_messages alter column html set storage external;
alter table sandbox_messages alter column text set storage external;

-- Tables that only grow have nothing to vacuum; what they need is to be counted, early and often, lest plans go astray.
alter table messages set (autovacuum_analyze_scale_factor = 0.02);
-- One row a business that every list of nudges updates in place.
alter table business_usage set (autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
alter table credit_accounts set (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 0);
-- Rows that live for a second: a report waits here until it is due.
alter table sandbox_reports set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
