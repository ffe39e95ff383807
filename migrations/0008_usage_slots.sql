-- The counts of a business, in a few rows instead of one: a permit locks one of them, so that permits of one business do not take
-- turns. Near a limit it locks them all, so that no limit is passed. What business_usage counted before is added to them.
create table usage_slots (
  business_id       text collate "C" not null references businesses,
  slot              smallint not null check (slot between 0 and 7),
  day               date,
  emails_today      integer not null default 0,
  texts_today       integer not null default 0,
  emails_in_period  integer not null default 0,
  primary key (business_id, slot)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
insert into usage_slots (business_id, slot) select id, slot from businesses, generate_series(0, 7) as slot;
