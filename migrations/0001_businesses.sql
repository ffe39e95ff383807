-- Who uses Waypost: businesses, their keys, their credits, and what is counted for them.
-- Every tenant table leads with business_id in its keys, so that a distributed Postgres could shard on it.

create table businesses (
  id                       text primary key,
  name                     text not null,
  contact_email            text,
  colour                   text check (colour ~ '^#[0-9a-f]{6}$'),
  active                   boolean not null default true,
  paused                   boolean not null default false,
  plan                     text not null default 'active' check (plan in ('active', 'past_due', 'lapsed')),
  plan_period_started_at   timestamptz,
  plan_period_end          timestamptz,
  plan_lapsed_at           timestamptz,
  email_allowance          integer check (email_allowance >= 0),
  daily_email_cap          integer check (daily_email_cap >= 0),
  sms_mode                 text not null default 'on_request' check (sms_mode in ('on', 'on_request', 'off', 'not_enabled')),
  whatsapp_mode            text not null default 'on_request' check (whatsapp_mode in ('on', 'on_request', 'off', 'not_enabled')),
  sms_enabled_at           timestamptz,
  warmup                   boolean not null default false,
  countries                text[],           -- null: every country but those nobody may text
  paid_per_recipient_hour  integer check (paid_per_recipient_hour > 0),
  low_balance_threshold    integer not null default 20 check (low_balance_threshold >= 0),
  reply_forward            text not null default 'off' check (reply_forward in ('full', 'link_only', 'off')),
  created_at               timestamptz not null
);

-- The shared sender is used where a business has none of its own.
create table business_senders (
  business_id  text not null references businesses,
  channel      text not null check (channel in ('email', 'sms', 'whatsapp')),
  address      text not null,
  primary key (business_id, channel)
);
create index business_senders_by_address on business_senders (channel, address);

create table api_keys (
  business_id  text not null references businesses,
  id           text not null,
  hash         bytea not null,          -- SHA-256 of the key; the key itself is kept nowhere
  name         text not null,
  masked       text not null,
  minted_by    text,                    -- the key that created this one through the API, detached or not
  parent_id    text,                    -- the key whose revocation takes this one along; null when detached
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  primary key (business_id, id),
  foreign key (business_id, parent_id) references api_keys (business_id, id)
);
create unique index api_keys_by_hash on api_keys (hash, business_id);
create index api_keys_by_parent on api_keys (business_id, parent_id) where parent_id is not null;

-- balance counts what is not yet spent; reserved is the part of it set aside for sends that are queued.
create table credit_accounts (
  business_id       text primary key references businesses,
  balance           integer not null default 0 check (balance >= 0),
  reserved          integer not null default 0 check (reserved >= 0),
  low_balance_told  boolean not null default false,
  check (reserved <= balance)
);

-- One charge and one refund a send at most: a retry after a crash cannot take or give twice.
create table credit_ledger (
  business_id  text not null references businesses,
  id           text not null,
  kind         text not null check (kind in ('grant', 'charge', 'refund')),
  amount       integer not null,
  send_id      text,
  note         text,
  at           timestamptz not null,
  primary key (business_id, id),
  check ((kind = 'charge' and amount <= 0) or (kind = 'refund' and amount >= 0) or kind = 'grant'),
  check ((send_id is null) = (kind = 'grant'))
);
create unique index credit_ledger_once on credit_ledger (business_id, send_id, kind) where send_id is not null;

-- One hot row a business, locked by the permit that counts a send.
create table business_usage (
  business_id         text primary key references businesses,
  day                 date,
  emails_today        integer not null default 0,
  texts_today         integer not null default 0,
  emails_in_period    integer not null default 0,
  allowance_reported  boolean not null default false
) with (fillfactor = 50);

create table country_prices (
  country  text primary key check (country ~ '^[A-Z]{2}$'),
  credits  integer not null check (credits > 0)
);

create table audit_entries (
  business_id   text not null references businesses,
  id            text not null,
  actor         text not null,
  action        text not null,
  recipient_id  text,
  subject       text,                    -- the address it was about, or its pseudonym after an erasure
  detail        jsonb not null default '{}',
  at            timestamptz not null,
  primary key (business_id, id)
);
create index audit_entries_by_recipient on audit_entries (business_id, recipient_id) where recipient_id is not null;

-- Secrets of the whole installation, sealed with SECRET_KEY (the pepper of the keyed hashes).
create table instance_secrets (
  name    text primary key,
  sealed  bytea not null
);

-- The sandbox can move the clock of the whole server: one row, added to the database's own clock.
create table service_clock (
  only_row     boolean primary key default true check (only_row),
  offset_ms    bigint not null default 0
);
insert into service_clock default values;
