-- The businesses: their settings, senders, keys, credits and usage, and the answers given to their requests.

create table businesses (
  id                       text collate "C" primary key,
  name                     text collate "C" not null,
  contact_email            text collate "C",
  colour                   text collate "C" check (colour ~ '^#[0-9a-f]{6}$'),
  active                   boolean not null default true,
  paused                   boolean not null default false,
  plan                     text collate "C" not null default 'active' check (plan in ('active', 'past_due', 'lapsed')),
  plan_period_started_at   timestamptz,
  plan_period_end          timestamptz,
  plan_lapsed_at           timestamptz,
  email_allowance          integer check (email_allowance >= 0),
  daily_email_cap          integer check (daily_email_cap >= 0),
  sms_mode                 text collate "C" not null default 'on_request' check (sms_mode in ('on', 'on_request', 'off', 'not_enabled')),
  whatsapp_mode            text collate "C" not null default 'on_request' check (whatsapp_mode in ('on', 'on_request', 'off', 'not_enabled')),
  sms_enabled_at           timestamptz,
  warmup                   boolean not null default false,
  countries                text[] collate "C",  -- null: every country except those that no business may text
  paid_per_recipient_hour  integer check (paid_per_recipient_hour > 0),
  low_balance_threshold    integer not null default 20 check (low_balance_threshold >= 0),
  reply_forward            text collate "C" not null default 'off' check (reply_forward in ('full', 'link_only', 'off')),
  created_at               timestamptz not null
);

-- A business without a row here uses the shared sender of the channel.
create table business_senders (
  business_id  text collate "C" not null references businesses,
  channel      text collate "C" not null check (channel in ('email', 'sms', 'whatsapp')),
  address      text collate "C" not null,
  primary key (business_id, channel)
);
create index business_senders_by_address on business_senders (channel, address);

create table api_keys (
  business_id  text collate "C" not null references businesses,
  id           text collate "C" not null,
  hash         bytea not null,      -- SHA-256 of the key; the key itself is stored nowhere
  name         text collate "C" not null,
  masked       text collate "C" not null,
  minted_by    text collate "C",    -- the key that created this one through the API, detached or not
  parent_id    text collate "C",    -- the key whose revocation also revokes this one; null when detached
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  primary key (business_id, id),
  foreign key (business_id, parent_id) references api_keys (business_id, id)
);
create unique index api_keys_by_hash on api_keys (hash, business_id);
create index api_keys_by_parent on api_keys (business_id, parent_id) where parent_id is not null;
-- Retention deletes the oldest revoked keys first. Active keys are not in the index, so a call pays nothing for it.
create index api_keys_by_revocation on api_keys (revoked_at) where revoked_at is not null;

-- balance is what is not yet spent; reserved is the part of it set aside for queued sends. A hot row that every permit
-- updates in place, hence half-empty pages and an eager vacuum.
create table credit_accounts (
  business_id       text collate "C" primary key references businesses,
  balance           integer not null default 0 check (balance >= 0),
  reserved          integer not null default 0 check (reserved >= 0),
  low_balance_told  boolean not null default false,
  check (reserved <= balance)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create table credit_ledger (
  business_id  text collate "C" not null references businesses,
  id           text collate "C" not null,
  kind         text collate "C" not null check (kind in ('grant', 'charge', 'refund')),
  amount       integer not null,
  send_id      text collate "C",
  note         text collate "C",
  at           timestamptz not null,
  primary key (business_id, id),
  check ((kind = 'charge' and amount <= 0) or (kind = 'refund' and amount >= 0) or kind = 'grant'),
  check ((send_id is null) = (kind = 'grant'))
);
-- At most one charge and one refund per send: a retry after a crash cannot take or give twice.
create unique index credit_ledger_once on credit_ledger (business_id, send_id, kind) where send_id is not null;

-- One hot row per business, locked by the permit that counts a send.
create table business_usage (
  business_id         text collate "C" primary key references businesses,
  day                 date,
  emails_today        integer not null default 0,
  texts_today         integer not null default 0,
  emails_in_period    integer not null default 0,
  allowance_reported  boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create table audit_entries (
  business_id   text collate "C" not null references businesses,
  id            text collate "C" not null,
  actor         text collate "C" not null,
  action        text collate "C" not null,
  recipient_id  text collate "C",
  subject       text collate "C",   -- the address the entry is about, or its pseudonym after an erasure
  detail        jsonb not null default '{}',
  at            timestamptz not null,
  primary key (business_id, id)
);
create index audit_entries_by_recipient on audit_entries (business_id, recipient_id) where recipient_id is not null;

create table idempotency_records (
  business_id   text collate "C" not null references businesses,
  scope         text collate "C" not null,
  key           text collate "C" not null,
  fingerprint   bytea not null,
  status        smallint not null,
  response      text collate "C" not null,  -- the bytes of the response, replayed unchanged
  recipient_id  text collate "C",           -- the person the response names, so that an erasure finds it
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  primary key (business_id, scope, key)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index idempotency_records_by_recipient on idempotency_records (business_id, recipient_id) where recipient_id is not null;
-- Retention deletes the oldest rows first, a few at a time, so each age has a B-tree, here and in every file. BRIN does not do: once
-- the space of deleted rows is reused, every block range holds old and new rows, and each search reads the whole table.
create index idempotency_records_by_age on idempotency_records (expires_at);
