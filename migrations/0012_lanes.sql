-- What is due, by business and lane: a channel's queue, or (the empty name) deadlines and calls that never came back. A
-- business with a long queue on one channel, whose share of it is in use, had that queue read to its end on every look,
-- for what else might be due behind it.
drop index sends_due;
create index sends_due on sends (business_id, (case when state = 'queued' then channel else '' end), due_at)
  where due_at is not null;
