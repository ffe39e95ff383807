-- Messages, the sends that announce them, and the words that find them. The send row is the job: due_at says when it next needs attention.
--
-- A table that references a recipient or a message does not also reference businesses unless it must: the composite key already
-- proves the business, and the second check would make all writers of one business queue at its single row.

create table messages (
  business_id       text collate "C" not null,
  id                text collate "C" not null,  -- begins with its time: the primary key is also the order of the list
  recipient_id      text collate "C" not null,
  subject           text collate "C" not null,
  body              text collate "C" not null,
  kind              text collate "C" not null check (kind in ('one_off', 'updateable')),
  status            text collate "C" not null check (status in ('active', 'obsolete', 'retracted')),
  reference         text collate "C",
  order_status      text collate "C",
  scheduled_for     timestamptz,
  replaced_by       text collate "C",           -- the message that made this one obsolete
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  obsoleted_at      timestamptz,
  retracted_at      timestamptz,
  fetched_at        timestamptz,                -- a link to it was fetched, perhaps by a scanner
  opened_at         timestamptz,                -- a person first saw it
  -- Why the push sent no text or WhatsApp message; null: it did, or nobody asked for one. A later push that updates the message adds
  -- a row to message_events instead.
  sms_skipped       text collate "C",
  whatsapp_skipped  text collate "C",
  -- The W3C `traceparent` of the push, so that its trace goes on in other processes, minutes or days later. Null where traces are off.
  trace_context     text collate "C",
  -- An update in place nudged since the person last opened the message, so it counts as unread until they open it again. A state and
  -- not a time: the row's lock decides whether the opening or the update came first, and their clocks may say otherwise.
  unread_again      boolean not null default false,
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
-- The messages of a business with one reference, newest first. One expression instead of three columns, so that no other statement can
-- use the index and the list can use no other: with a plan that is kept, a rare reference would be looked for through all messages.
-- Messages without a reference are not in it.
create index messages_by_reference on messages ((business_id || ' ' || reference || ' ' || id)) where reference is not null;
-- The messages of a business that are obsolete or retracted, newest first. An expression for the same reasons. Active messages are not
-- in it, so that a push pays nothing for it: they are most of all, and the primary key finds them.
create index messages_by_status on messages ((business_id || ' ' || status || ' ' || id)) where status <> 'active';

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
  constraint sends_reserved_or_charged_check check (not (reserved and charged))
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

-- The words of subjects, for the search of the dashboard. A background step writes them, some minutes after the messages: an index that
-- every push maintains cost it more than it may (docs/adr/0013).
--
-- One row per word of up to 500 messages that were indexed together, with the ids of those that have it, newest first. The key is
-- also the order of the results, so a page of a frequent word reads as few rows as one of a rare word.
create table subject_words (
  business_id  text collate "C" not null,
  word         text collate "C" not null,    -- lower case, without marks
  from_id      text collate "C" not null,    -- the oldest of the messages that were indexed together, with the word or without
  message_ids  text[] collate "C" not null,
  primary key (business_id, word, from_id)
);

-- How far the messages of a business are indexed. The few newer ones are read one by one.
create table subject_index (
  business_id    text collate "C" primary key references businesses,
  indexed_until  text collate "C" not null   -- a message's id, inclusive
);
