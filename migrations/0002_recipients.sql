-- The people: known by their address, scoped to one business. What must outlive an erasure (stops, suppressions)
-- is keyed by a keyed hash, so that it works without keeping the person.

create table recipients (
  business_id          text not null references businesses,
  id                   text not null,
  email                text not null,
  phone                text,
  phone_country        text,
  sms_status           text not null default 'none' check (sms_status in ('none', 'active', 'stopped')),
  sms_status_at        timestamptz,
  sms_stopped_by       text check (sms_stopped_by in ('text', 'inbox', 'dashboard')),
  sms_consent_at       timestamptz,       -- written once
  sms_consent_source   text check (sms_consent_source in ('push', 'api', 'admin')),
  whatsapp_status      text not null default 'none' check (whatsapp_status in ('none', 'active', 'stopped')),
  whatsapp_status_at   timestamptz,
  whatsapp_erased_at   timestamptz,       -- of the first erasure, whatever the key
  unsubscribed_at      timestamptz,
  created_at           timestamptz not null,
  primary key (business_id, id),
  check ((phone is null) = (phone_country is null)),
  check ((sms_status = 'stopped') = (sms_stopped_by is not null))
) with (fillfactor = 85);
create unique index recipients_by_email on recipients (business_id, email);
-- One recipient a number: two requests that race to give the same number cannot both win.
create unique index recipients_by_phone on recipients (business_id, phone) where phone is not null;
-- An inbound text names a number and no business.
create index recipients_by_number on recipients (phone) where phone is not null;

create table stops (
  business_id  text not null references businesses,
  channel      text not null check (channel in ('sms', 'whatsapp')),
  number_hash  bytea not null,
  made_by      text not null check (made_by in ('text', 'inbox', 'dashboard')),
  at           timestamptz not null,
  primary key (business_id, channel, number_hash)
);

create table suppressions (
  business_id  text not null references businesses,
  email_hash   bytea not null,
  reason       text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'operator')),
  email        text,                     -- for people's eyes; null once the person is erased
  at           timestamptz not null,
  primary key (business_id, email_hash, reason)
);

-- Addresses proved undeliverable by some business: they gate the shared sending domain for the others.
create table platform_suppressions (
  email_hash   bytea primary key,
  at           timestamptz not null
);

create table consent_log (
  business_id   text not null references businesses,
  id            text not null,
  recipient_id  text not null,
  channel       text not null check (channel in ('email', 'sms', 'whatsapp')),
  action        text not null check (action in ('granted', 'stopped', 'started', 'cleared', 'withdrawn', 'unsubscribed')),
  source        text not null,
  at            timestamptz not null,
  primary key (business_id, id)
);
create index consent_log_by_recipient on consent_log (business_id, recipient_id);

-- Numbers learned not to be on WhatsApp, for a while.
create table whatsapp_unreachable (
  business_id  text not null references businesses,
  number_hash  bytea not null,
  until        timestamptz not null,
  primary key (business_id, number_hash)
);

create table whatsapp_replies (
  business_id          text not null references businesses,
  id                   text not null,
  recipient_id         text not null,
  message_id           text,
  body                 text not null,
  provider_message_id  text,
  forwarded            boolean not null default false,
  received_at          timestamptz not null,
  primary key (business_id, id)
);
create index whatsapp_replies_by_recipient on whatsapp_replies (business_id, recipient_id);
create index whatsapp_replies_by_age on whatsapp_replies (received_at);

-- A reply is acknowledged once a window; the number is held only to stop the acknowledgement repeating.
create table auto_reply_windows (
  business_id  text not null references businesses,
  number_hash  bytea not null,
  until        timestamptz not null,
  primary key (business_id, number_hash)
);

-- Templates belong to the service, one an order status.
create table whatsapp_templates (
  order_status  text primary key check (order_status in
    ('confirmed', 'shipped', 'ready_for_pickup', 'delivered', 'cancelled', 'refunded', 'delayed')),
  state         text not null default 'approved' check (state in ('approved', 'in_review'))
);
insert into whatsapp_templates (order_status) values
  ('confirmed'), ('shipped'), ('ready_for_pickup'), ('delivered'), ('cancelled'), ('refunded'), ('delayed');
