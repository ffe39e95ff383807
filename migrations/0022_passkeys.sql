-- Passkeys, what a key was used for, and the audit of what concerns no single shop.

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
  browser_hash    bytea not null,         -- the browser that asked for it
  member_id       text collate "C" references members on delete cascade,  -- who adds a passkey; null: somebody signs in
  expires_at      timestamptz not null
);
create index passkey_challenges_by_member on passkey_challenges (member_id) where member_id is not null;
create index passkey_challenges_by_age on passkey_challenges (expires_at);

-- Acts that belong to no shop: who became an operator, a member's passkeys.
create table platform_audit_entries (
  id      text collate "C" primary key,
  actor   text collate "C" not null,
  action  text collate "C" not null,
  detail  jsonb not null default '{}',
  at      timestamptz not null
);

alter table api_keys
  add column created_by text collate "C",     -- the actor, as in the audit; null: made before this column
  add column last_used_at timestamptz;        -- to the minute; null: not since this column is there
