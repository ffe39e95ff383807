-- `countries` and `paid_per_recipient_hour` stay what applies: the stricter of the operator's ceiling and the shop's own value, computed
-- when either is written, so that a push reads no more than before. While the own value is null, what applies is the ceiling; so it is in
-- every row from before and after a write of the previous version, and only otherwise is the column of the ceiling read.
alter table businesses
  add column own_countries text[] collate "C",
  add column countries_ceiling text[] collate "C",
  add column own_paid_per_recipient_hour integer,
  add column paid_per_recipient_hour_ceiling integer;
