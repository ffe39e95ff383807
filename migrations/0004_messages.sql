-- Messages, and the sends that announce them. The send row is the job: due_at says when it next needs attention.
--
-- A table that references a recipient or a message does not also reference businesses unless it must: the composite key already
-- proves the business, and the second check would make all writers of one business queue at its single row.

create table messages (
  business_id    text collate "C" not null,
  id             text collate "C" not null,  -- begins with its time: the primary key is also the order of the list
  recipient_id   text collate "C" not null,
  subject        text collate "C" not null,
  body           text collate "C" not null,
  kind           text collate "C" not null check (kind in ('one_off', 'updateable')),
  status         text collate "C" not null check (status in ('active', 'obsolete', 'retracted')),
  reference      text collate "C",
  order_status   text collate "C",
  scheduled_for  timestamptz,
  replaced_by    text collate "C",           -- the message that made this one obsolete
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  obsoleted_at   timestamptz,
  retracted_at   timestamptz,
  fetched_at     timestamptz,                -- a link to it was fetched, perhaps by a scanner
  opened_at      timestamptz,                -- a person saw it
  primary key (business_id, id),
  foreign key (business_id, recipient_id) references recipients (business_id, id)
  -- A table that mostly grows has little to vacuum, but needs fresh statistics for good plans.
) with (fillfactor = 90, autovacuum_analyze_scale_factor = 0.02);
-- Parallel updateable pushes of one subject: one creates, the others update.
create unique index messages_one_updateable on messages (business_id, recipient_id, subject)
  where kind = 'updateable' and status = 'active';
-- Without business_id: a second index with both business_id and id ties with the primary key in a plan made while the table is empty.
-- A connection keeps such a plan, and each foreign key check then read all messages of the business.
create index messages_by_recipient on messages (recipient_id, id desc);

create table sends (
  business_id       text collate "C" not null references businesses,
  id                text collate "C" not null,
  message_id        text collate "C",    -- null: service mail that announces no message
  recipient_id      text collate "C" not null,
  channel           text collate "C" not null check (channel in ('email', 'sms', 'whatsapp')),
  purpose           text collate "C" not null check (purpose in ('nudge', 'resend', 'fallback', 'reply_forward', 'reply_ack', 'new_link')),
  state             text collate "C" not null check (state in
    ('held', 'queued', 'submitting', 'accepted', 'delivered', 'read', 'failed', 'rejected', 'skipped', 'cancelled')),
  reason            text collate "C",    -- why it was skipped, failed or rejected
  error_code        text collate "C",
  due_at            timestamptz,         -- queued: run from here on (or the end of the lease); held: deadline; submitting: give up then
  lease             text collate "C",    -- token of the worker that claimed it
  attempts          smallint not null default 0,
  attempt_token     text collate "C",    -- token of the call in progress; an answer with another token is dropped
  credits           integer not null default 0 check (credits >= 0),
  reserved          boolean not null default false,  -- its credits are set aside
  charged           boolean not null default false,  -- its credits are spent
  country           text collate "C",
  escalate_minutes  integer,             -- held until the message has been unread for this long
  fallback_of       text collate "C",    -- the WhatsApp send that this text replaces
  about             text collate "C",    -- for service mail: the reply or link it is about
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
-- At most one fallback per WhatsApp send, whatever triggers it.
create unique index sends_one_fallback on sends (business_id, fallback_of) where fallback_of is not null;
create index sends_by_message on sends (business_id, message_id) where message_id is not null;
create index sends_by_recipient on sends (business_id, recipient_id) where message_id is null;
-- At most one waiting send per message and channel: two requests cannot queue the same text twice.
create unique index sends_one_waiting on sends (business_id, message_id, channel) where state in ('held', 'queued');
-- What is due, by business and channel; '' holds deadlines and calls without an answer. Without the channel, a claim would read a
-- long queue of a channel that has no capacity left to its end, in search of what else is due.
create index sends_due on sends (business_id, (case when state = 'queued' then channel else '' end), due_at)
  where due_at is not null;

create table send_attempts (
  business_id   text collate "C" not null,
  send_id       text collate "C" not null,
  attempt       smallint not null,
  outcome       text collate "C" not null check (outcome in ('accepted', 'refused', 'not_taken', 'unknown')),
  error_code    text collate "C",
  provider      text collate "C" not null,
  provider_id   text collate "C",
  started_at    timestamptz not null,
  ended_at      timestamptz not null,
  primary key (business_id, send_id, attempt)
);

-- The history of a message after it was stored.
create table message_events (
  business_id  text collate "C" not null,
  id           text collate "C" not null,
  message_id   text collate "C" not null,
  send_id      text collate "C",
  type         text collate "C" not null,
  detail       text collate "C",
  at           timestamptz not null,
  primary key (business_id, id),
  foreign key (business_id, message_id) references messages (business_id, id)
);
create index message_events_by_message on message_events (business_id, message_id);

-- Providers report at least once and in any order: the first report with an id counts.
create table provider_reports (
  provider     text collate "C" not null,
  report_id    text collate "C" not null,
  received_at  timestamptz not null,
  primary key (provider, report_id)
);
create index provider_reports_by_age on provider_reports (received_at);
