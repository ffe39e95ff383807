-- Which numbers a business has messaged, by keyed hash. A reply goes to a business that wrote to the number, and to no other; a STOP
-- counts for a business that wrote to the number, although it has cleared the number or erased the person since.
create table messaged_numbers (
  business_id   text collate "C" not null references businesses,
  channel       text collate "C" not null check (channel in ('sms', 'whatsapp')),
  number_hash   bytea not null,
  submitted_at  timestamptz,             -- of the last message that a provider took or may have taken; null: only a STOP needs the row
  until         timestamptz not null,
  primary key (business_id, channel, number_hash)
);
-- An inbound message names a number and no business.
create index messaged_numbers_by_number on messaged_numbers (number_hash);
create index messaged_numbers_by_age on messaged_numbers (until);
create index stops_by_number on stops (number_hash);
