-- When a shop's texts and WhatsApp messages wait, in the country of the number, and the order statuses whose messages do not.
alter table businesses
  add column quiet_hours text collate "C",  -- such as 21:00-08:00; null: none
  add column quiet_hours_except text[] collate "C" not null default '{}',
  -- They changed: look again at what waits for their end. Null: done.
  add column quiet_hours_recheck_at timestamptz;
