-- The people, each known to one business by an email address. What must outlive an erasure (stops, suppressions, which numbers
-- were messaged) is found by a keyed hash, so that it works without storing the person.

create table recipients (
  business_id          text collate "C" not null references businesses,
  id                   text collate "C" not null,
  email                text collate "C" not null,
  phone                text collate "C",
  phone_country        text collate "C",
  sms_status           text collate "C" not null default 'none' check (sms_status in ('none', 'active', 'stopped')),
  sms_status_at        timestamptz,
  sms_stopped_by       text collate "C" check (sms_stopped_by in ('text', 'inbox', 'dashboard')),
  sms_consent_at       timestamptz,       -- written once and never changed
  sms_consent_source   text collate "C" check (sms_consent_source in ('push', 'api', 'admin')),
  whatsapp_status      text collate "C" not null default 'none' check (whatsapp_status in ('none', 'active', 'stopped')),
  whatsapp_status_at   timestamptz,
  whatsapp_erased_at   timestamptz,       -- of the first erasure, whatever its idempotency key
  unsubscribed_at      timestamptz,
  -- A BCP 47 tag as the merchant sent it; null: not known. The nearest of our languages is chosen when a word is needed, so that
  -- a language added later serves everyone whose tag names it.
  language             text collate "C",
  created_at           timestamptz not null,
  primary key (business_id, id),
  constraint recipients_phone_country_check check ((phone is null) = (phone_country is null)),
  constraint recipients_sms_stopped_check check ((sms_status = 'stopped') = (sms_stopped_by is not null))
) with (fillfactor = 85);
-- One recipient per number: of two requests that race to store the same number, one fails.
create unique index recipients_by_phone on recipients (business_id, phone) where phone is not null;
-- An inbound text names a number and no business.
create index recipients_by_number on recipients (phone) where phone is not null;
-- email first: until the first analyze, the planner rates an index that begins with business_id as highly as the primary key
-- and picks the newer one. Foreign key checks and lookups by id then read all recipients of the business.
create unique index recipients_by_email on recipients (email, business_id);

create table stops (
  business_id  text collate "C" not null references businesses,
  channel      text collate "C" not null check (channel in ('sms', 'whatsapp')),
  number_hash  bytea not null,
  made_by      text collate "C" not null check (made_by in ('text', 'inbox', 'dashboard')),
  at           timestamptz not null,
  primary key (business_id, channel, number_hash)
);
create index stops_by_number on stops (number_hash);

-- The numbers that a business has messaged. A reply goes only to a business that wrote to the number; a STOP also counts for a
-- business that has cleared the number or erased the person since.
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

create table suppressions (
  business_id  text collate "C" not null references businesses,
  email_hash   bytea not null,
  reason       text collate "C" not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'operator')),
  email        text collate "C",         -- for people to read; null once the person is erased
  at           timestamptz not null,
  primary key (business_id, email_hash, reason)
);

-- Addresses that some business found undeliverable: no other business may mail them from the shared sending domain.
create table platform_suppressions (
  email_hash  bytea primary key,
  at          timestamptz not null
);

create table consent_log (
  business_id   text collate "C" not null references businesses,
  id            text collate "C" not null,
  recipient_id  text collate "C" not null,
  channel       text collate "C" not null check (channel in ('email', 'sms', 'whatsapp')),
  action        text collate "C" not null check (action in ('granted', 'stopped', 'started', 'cleared', 'withdrawn', 'unsubscribed')),
  source        text collate "C" not null,
  at            timestamptz not null,
  primary key (business_id, id)
);
create index consent_log_by_recipient on consent_log (business_id, recipient_id);

-- Numbers that WhatsApp refused as not registered; they are tried again after `until`.
create table whatsapp_unreachable (
  business_id  text collate "C" not null references businesses,
  number_hash  bytea not null,
  until        timestamptz not null,
  primary key (business_id, number_hash)
);
create index whatsapp_unreachable_by_end on whatsapp_unreachable (until);

create table whatsapp_replies (
  business_id          text collate "C" not null references businesses,
  id                   text collate "C" not null,
  recipient_id         text collate "C" not null,
  message_id           text collate "C",
  body                 text collate "C" not null,
  provider_message_id  text collate "C",
  forwarded            boolean not null default false,
  received_at          timestamptz not null,
  read_at              timestamptz,       -- by the shop
  primary key (business_id, id)
);
create index whatsapp_replies_by_recipient on whatsapp_replies (business_id, recipient_id);
create index whatsapp_replies_by_age on whatsapp_replies (received_at);
-- The replies of a business as the dashboard lists them, read backwards: unread ones first, each newest first. One expression instead of
-- three columns, so that no other statement can use the index: one with business_id and id ties with the primary key, as in
-- messages_by_recipient.
create index whatsapp_replies_listed
  on whatsapp_replies ((business_id || case when read_at is null then ' unread ' else ' read ' end || id));

-- A reply is acknowledged once per window; the hash is stored only so that the acknowledgement is not repeated.
create table auto_reply_windows (
  business_id  text collate "C" not null references businesses,
  number_hash  bytea not null,
  until        timestamptz not null,
  primary key (business_id, number_hash)
);
create index auto_reply_windows_by_end on auto_reply_windows (until);
