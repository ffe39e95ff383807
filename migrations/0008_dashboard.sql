-- The dashboard: who may sign in and how, their sessions, and the audit of what was done.

-- One row per address, however many shops it belongs to. An operator belongs to all of them.
create table members (
  id              text collate "C" primary key,
  email           text collate "C" not null unique,
  operator_since  timestamptz,
  created_at      timestamptz not null
);

create table memberships (
  business_id   text collate "C" not null references businesses,
  member_id     text collate "C" not null references members on delete cascade,
  role          text collate "C" not null check (role in ('owner', 'member', 'viewer')),
  created_at    timestamptz not null,
  last_seen_at  timestamptz,   -- on this shop's pages, to the minute: what a member does in other shops is none of its business
  primary key (business_id, member_id)
);
create index memberships_by_member on memberships (member_id, business_id);

-- A link signs in once, which ends it; it stays for a while, since a member's links are counted. Only hashes are stored.
create table sign_in_links (
  token_hash    bytea primary key,
  member_id     text collate "C" not null references members on delete cascade,
  browser_hash  bytea,                 -- the browser that requested it; null for the demo's link, which any browser may use
  -- The keyed hash of the client's address, or the hash of a session; null: a link of the demo shop. Links are counted by it, so
  -- that a stranger cannot use up the member's.
  requested_by  bytea,
  created_at    timestamptz not null,
  expires_at    timestamptz not null
);
-- The links of the last hour are counted per member.
create index sign_in_links_by_member on sign_in_links (member_id, created_at);
create index sign_in_links_by_age on sign_in_links (expires_at);

create table dashboard_sessions (
  id            text collate "C" primary key,
  token_hash    bytea not null unique,  -- SHA-256 of 256 random bits, which only the browser has
  member_id     text collate "C" not null references members on delete cascade,
  browser       text collate "C" not null,
  created_at    timestamptz not null,
  signed_in_at  timestamptz not null,   -- dangerous actions ask how long ago that was
  last_seen_at  timestamptz not null,
  expires_at    timestamptz not null    -- 12 hours after it was last used, 30 days after it began at the latest
);
create index dashboard_sessions_by_member on dashboard_sessions (member_id, id);
create index dashboard_sessions_by_age on dashboard_sessions (expires_at);

-- A member's passkey in one device or password manager. Only its public key is known here.
create table passkeys (
  id             text collate "C" primary key,
  credential_id  bytea not null unique,   -- the authenticator's name for it
  member_id      text collate "C" not null references members on delete cascade,
  name           text collate "C" not null,
  public_key     bytea not null,          -- COSE
  counter        bigint not null,         -- must grow, unless the authenticator does not count
  transports     text[] collate "C" not null,
  created_at     timestamptz not null,
  last_used_at   timestamptz
);
create index passkeys_by_member on passkeys (member_id, id);

-- What a passkey signs, once. Only hashes are stored.
create table passkey_challenges (
  challenge_hash  bytea primary key,
  browser_hash    bytea not null,         -- the browser that requested it
  member_id       text collate "C" references members on delete cascade,  -- who adds a passkey; null: somebody signs in
  expires_at      timestamptz not null
);
create index passkey_challenges_by_member on passkey_challenges (member_id) where member_id is not null;
create index passkey_challenges_by_age on passkey_challenges (expires_at);

-- What people, keys and the operator did in a shop.
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
-- The operator's log of all shops: ids begin with their time, so one column has the entries in order. An expression, so that the log of one
-- shop cannot use it: it would read the entries of all others.
create index audit_entries_by_time on audit_entries ((id || ''));

-- Actions that belong to no shop: who became an operator, a member's passkeys.
create table platform_audit_entries (
  id      text collate "C" primary key,
  actor   text collate "C" not null,
  action  text collate "C" not null,
  detail  jsonb not null default '{}',
  at      timestamptz not null
);
