-- The dashboard: who may sign in, the links they sign in by, and their sessions.

-- One row per address, however many shops it belongs to. An operator belongs to all of them.
create table members (
  id              text collate "C" primary key,
  email           text collate "C" not null unique,
  operator_since  timestamptz,
  created_at      timestamptz not null
);

create table memberships (
  business_id  text collate "C" not null references businesses,
  member_id    text collate "C" not null references members on delete cascade,
  role         text collate "C" not null check (role in ('owner', 'member', 'viewer')),
  created_at   timestamptz not null,
  primary key (business_id, member_id)
);
create index memberships_by_member on memberships (member_id, business_id);

-- A link signs in once, which ends it; it stays for a while, since a member's links are counted. Only hashes are stored.
create table sign_in_links (
  token_hash    bytea primary key,
  member_id     text collate "C" not null references members on delete cascade,
  browser_hash  bytea,                 -- the browser that asked for it; null for the demo's link, which any browser may use
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
  signed_in_at  timestamptz not null,   -- dangerous acts ask how long ago that was
  last_seen_at  timestamptz not null,
  expires_at    timestamptz not null    -- 12 hours after it was last used, 30 days after it began at the latest
);
create index dashboard_sessions_by_member on dashboard_sessions (member_id, id);
create index dashboard_sessions_by_age on dashboard_sessions (expires_at);
