-- How a person enters the inbox. Tokens are stored as SHA-256 only, each bound to one business and recipient.

-- A link is identified by the send that carries it, so a send never has two, and a nudge writes no index for an id of the link.
create table links (
  business_id   text collate "C" not null,
  token_hash    bytea not null,
  recipient_id  text collate "C" not null,
  message_id    text collate "C",
  send_id       text collate "C" not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  fetched_at    timestamptz,
  primary key (business_id, send_id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
);
create index links_by_token on links (token_hash);
create index links_by_age on links (expires_at);
create index links_by_recipient on links (business_id, recipient_id);

create table inbox_sessions (
  business_id   text collate "C" not null,
  id            text collate "C" not null,
  token_hash    bytea not null,
  recipient_id  text collate "C" not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  primary key (business_id, id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
);
create index inbox_sessions_by_token on inbox_sessions (token_hash);
create index inbox_sessions_by_age on inbox_sessions (expires_at);
create index inbox_sessions_by_recipient on inbox_sessions (business_id, recipient_id);
