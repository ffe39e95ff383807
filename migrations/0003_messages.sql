-- Messages, and the sends that announce them. The send row is the job: due_at says when it next needs attention.

create table messages (
  business_id    text not null references businesses,
  id             text not null,          -- begins with its time: the primary key is also the order of the list
  recipient_id   text not null,
  subject        text not null,
  body           text not null,
  kind           text not null check (kind in ('one_off', 'updateable')),
  status         text not null check (status in ('active', 'obsolete', 'retracted')),
  reference      text,
  order_status   text,
  scheduled_for  timestamptz,
  replaced_by    text,                   -- the push that made it obsolete
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  obsoleted_at   timestamptz,
  retracted_at   timestamptz,
  fetched_at     timestamptz,            -- a link to it was fetched, perhaps by a scanner
  opened_at      timestamptz,            -- a person saw it
  primary key (business_id, id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
) with (fillfactor = 90);
create index messages_by_recipient on messages (business_id, recipient_id, id desc);
-- Parallel updateable pushes of one subject: one creates, the others update.
create unique index messages_one_updateable on messages (business_id, recipient_id, subject)
  where kind = 'updateable' and status = 'active';

create table sends (
  business_id       text not null references businesses,
  id                text not null,
  message_id        text,                -- null: service mail that announces no message
  recipient_id      text not null,
  channel           text not null check (channel in ('email', 'sms', 'whatsapp')),
  purpose           text not null check (purpose in ('nudge', 'resend', 'fallback', 'reply_forward', 'reply_ack', 'new_link')),
  state             text not null check (state in
    ('held', 'queued', 'submitting', 'accepted', 'delivered', 'read', 'failed', 'rejected', 'skipped', 'cancelled')),
  reason            text,                -- why it was skipped, failed or rejected
  error_code        text,
  due_at            timestamptz,         -- queued: run from here on (or the lease's end); held: deadline; submitting: give up then
  lease             text,                -- token of the worker that claimed it
  attempts          smallint not null default 0,
  attempt_token     text,                -- token of the call under way; an answer without it is dropped
  credits           integer not null default 0 check (credits >= 0),
  reserved          boolean not null default false,  -- its credits are set aside
  charged           boolean not null default false,  -- its credits are spent
  country           text,
  escalate_minutes  integer,             -- held until the message stayed unread this long
  fallback_of       text,                -- the WhatsApp send this text stands in for
  about             text,                -- for service mail: the reply or link it is about
  created_at        timestamptz not null,
  submitted_at      timestamptz,
  last_status_at    timestamptz,
  delivered_at      timestamptz,
  bounced_at        timestamptz,
  complained_at     timestamptz,
  primary key (business_id, id),
  foreign key (business_id, message_id) references messages (business_id, id),
  check (not (reserved and charged))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index sends_by_message on sends (business_id, message_id) where message_id is not null;
create index sends_by_recipient on sends (business_id, recipient_id) where message_id is null;
create index sends_due on sends (business_id, due_at) where due_at is not null;
-- At most one waiting send a message and channel: two requests cannot queue the same text twice.
create unique index sends_one_waiting on sends (business_id, message_id, channel) where state in ('held', 'queued');
-- One fallback a WhatsApp send, for ever: whatever fires it, it texts once.
create unique index sends_one_fallback on sends (business_id, fallback_of) where fallback_of is not null;

create table send_attempts (
  business_id   text not null,
  send_id       text not null,
  attempt       smallint not null,
  outcome       text not null check (outcome in ('accepted', 'refused', 'not_taken', 'unknown')),
  error_code    text,
  provider      text not null,
  provider_id   text,
  started_at    timestamptz not null,
  ended_at      timestamptz not null,
  primary key (business_id, send_id, attempt)
);

-- What happened to a message after it was stored, one row a fact.
create table message_events (
  business_id  text not null,
  id           text not null,
  message_id   text not null,
  send_id      text,
  type         text not null,
  detail       text,
  at           timestamptz not null,
  primary key (business_id, id),
  foreign key (business_id, message_id) references messages (business_id, id)
);
create index message_events_by_message on message_events (business_id, message_id);

-- Reports are at least once and unordered: the first of each name counts.
create table provider_reports (
  provider     text not null,
  report_id    text not null,
  received_at  timestamptz not null,
  primary key (provider, report_id)
);

create table idempotency_records (
  business_id   text not null references businesses,
  scope         text not null,
  key           text not null,
  fingerprint   bytea not null,
  status        smallint not null,
  response      text not null,           -- the bytes that were answered, replayed as they are
  recipient_id  text,                    -- whom the response names, so that an erasure finds it
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  primary key (business_id, scope, key)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index idempotency_records_by_recipient on idempotency_records (business_id, recipient_id) where recipient_id is not null;
create index idempotency_records_by_age on idempotency_records using brin (expires_at);
