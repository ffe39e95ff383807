-- Which tracking statuses nudge, on which paid channels, and after how many unread minutes these go.
alter table businesses
  add column tracking_nudges text[] collate "C" not null
    default '{out_for_delivery,delivery_attempted,available_for_pickup,delivered,delayed}',
  add column tracking_channels text[] collate "C" not null default '{}',
  add column tracking_escalate_minutes integer;
