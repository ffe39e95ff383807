-- The businesses: their settings, logos, senders and keys, and the answers given to their requests.

create table businesses (
  id                               text collate "C" primary key,
  name                             text collate "C" not null,
  contact_email                    text collate "C",
  colour                           text collate "C" check (colour ~ '^#[0-9a-f]{6}$'),
  logo                             text collate "C",                       -- the name of the one in use
  language                         text collate "C" not null default 'en', -- of people whose own is not known; the program knows which exist
  active                           boolean not null default true,
  paused                           boolean not null default false,
  plan                             text collate "C" not null default 'active' check (plan in ('active', 'past_due', 'lapsed')),
  plan_period_started_at           timestamptz,
  plan_period_end                  timestamptz,
  plan_lapsed_at                   timestamptz,
  email_allowance                  integer check (email_allowance >= 0),
  daily_email_cap                  integer check (daily_email_cap >= 0),
  sms_mode                         text collate "C" not null default 'on_request' check (sms_mode in ('on', 'on_request', 'off', 'not_enabled')),
  whatsapp_mode                    text collate "C" not null default 'on_request'
    check (whatsapp_mode in ('on', 'on_request', 'off', 'not_enabled')),
  sms_enabled_at                   timestamptz,
  warmup                           boolean not null default false,
  -- `countries` and `paid_per_recipient_hour` are what applies: the stricter of the operator's ceiling and the shop's own value,
  -- computed when either is written, so that a push reads one column.
  countries                        text[] collate "C",  -- null: every country except those that no business may text
  countries_ceiling                text[] collate "C",
  own_countries                    text[] collate "C",
  paid_per_recipient_hour          integer check (paid_per_recipient_hour > 0),
  paid_per_recipient_hour_ceiling  integer,
  own_paid_per_recipient_hour      integer,
  low_balance_threshold            integer not null default 20 check (low_balance_threshold >= 0),
  reply_forward                    text collate "C" not null default 'off' check (reply_forward in ('full', 'link_only', 'off')),
  created_at                       timestamptz not null
);
-- Operators find a shop by the beginnings of words of its name. Punctuation separates words: the parser would take
-- "books.example" for a host, and nobody would find it by its second part.
create index businesses_by_words on businesses
  using gin (to_tsvector('simple', translate(name, '.,:;/\_-@&''"+*()!?#%=<>[]{}|~^$`', repeat(' ', 40))));

-- A shop's logos, for its inbox and its mails.
create table logos (
  business_id  text collate "C" not null references businesses,
  name         text collate "C" not null,    -- the hash of its content, and the ending of its type
  content      bytea not null,               -- written anew from what was uploaded
  created_at   timestamptz not null,
  replaced_at  timestamptz,                  -- null: in use; mails that were sent before show it for a while
  primary key (business_id, name)
);
-- Images are compressed already. (Not in the table's definition, where Postgres 15 does not know it.)
alter table logos alter column content set storage external;
create index logos_by_age on logos (replaced_at) where replaced_at is not null;

-- A business without a row here uses the shared sender of the channel.
create table business_senders (
  business_id  text collate "C" not null references businesses,
  channel      text collate "C" not null check (channel in ('email', 'sms', 'whatsapp')),
  address      text collate "C" not null,
  primary key (business_id, channel)
);
create index business_senders_by_address on business_senders (channel, address);

create table api_keys (
  business_id   text collate "C" not null references businesses,
  id            text collate "C" not null,
  hash          bytea not null,      -- SHA-256 of the key; the key itself is stored nowhere
  name          text collate "C" not null,
  masked        text collate "C" not null,
  -- What the key may call: everything (full), pushing and what a sender reads (send), or reading alone (read). It never changes:
  -- a caller whose key was looked up before can be judged without reading it again.
  access        text collate "C" not null default 'full' check (access in ('full', 'send', 'read')),
  minted_by     text collate "C",    -- the key that created this one through the API, detached or not
  parent_id     text collate "C",    -- the key whose revocation also revokes this one; null when detached
  created_by    text collate "C",    -- the actor, as in the audit
  created_at    timestamptz not null,
  last_used_at  timestamptz,         -- to the minute
  revoked_at    timestamptz,
  primary key (business_id, id),
  foreign key (business_id, parent_id) references api_keys (business_id, id)
);
create unique index api_keys_by_hash on api_keys (hash, business_id);
create index api_keys_by_parent on api_keys (business_id, parent_id) where parent_id is not null;
-- Retention deletes the oldest revoked keys first. Active keys are not in the index, so a call pays nothing for it.
create index api_keys_by_revocation on api_keys (revoked_at) where revoked_at is not null;

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
