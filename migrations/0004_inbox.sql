-- How a person gets in. Tokens are stored as SHA-256 only, bound to one business and recipient.

create table links (
  business_id   text not null references businesses,
  id            text not null,
  token_hash    bytea not null,
  recipient_id  text not null,
  message_id    text,
  send_id       text,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  fetched_at    timestamptz,
  primary key (business_id, id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
);
create index links_by_token on links (token_hash);
create index links_by_recipient on links (business_id, recipient_id);
create index links_by_age on links using brin (expires_at);
-- Never a second sign-in link for the same send.
create unique index links_one_a_send on links (business_id, send_id) where send_id is not null;

create table inbox_sessions (
  business_id   text not null references businesses,
  id            text not null,
  token_hash    bytea not null,
  recipient_id  text not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  primary key (business_id, id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
);
create index inbox_sessions_by_token on inbox_sessions (token_hash);
create index inbox_sessions_by_recipient on inbox_sessions (business_id, recipient_id);
