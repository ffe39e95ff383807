-- The sandbox: messages captured instead of sent, and the delivery reports that its simulated people have yet to cause.

create table sandbox_messages (
  id            text collate "C" not null,
  business_id   text collate "C" not null references businesses,
  send_id       text collate "C" not null,
  message_id    text collate "C",
  recipient_id  text collate "C" not null,
  channel       text collate "C" not null check (channel in ('email', 'sms', 'whatsapp')),
  recipient     text collate "C" not null,   -- the address or number it was sent to
  subject       text collate "C",
  text          text collate "C" not null,
  html          text collate "C",
  headers       jsonb not null default '{}',
  template      jsonb,
  provider_id   text collate "C" not null,
  outcome       text collate "C" not null,
  at            timestamptz not null,
  primary key (id, business_id)   -- the pages ask by id; a table that is sharded needs the business in every unique index
);
-- Written once and seldom read: compressing every mail cost more than the space it saved. (Not in the table's definition, where
-- Postgres 15 does not know it.)
alter table sandbox_messages alter column html set storage external, alter column text set storage external;
create index sandbox_messages_by_recipient on sandbox_messages (recipient, id desc);
create index sandbox_messages_by_person on sandbox_messages (business_id, recipient_id);
create index sandbox_messages_by_provider_id on sandbox_messages (provider_id);
create index sandbox_messages_by_age on sandbox_messages (at);

-- Rows live for about a second, until the report is due: hence the eager vacuum.
create table sandbox_reports (
  id           text collate "C" primary key,
  provider_id  text collate "C" not null,
  status       text collate "C" not null,
  error_code   text collate "C",
  due_at       timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index sandbox_reports_due on sandbox_reports (due_at);
-- An erasure deletes the reports that the person's captured messages have yet to cause.
create index sandbox_reports_by_provider_id on sandbox_reports (provider_id);
