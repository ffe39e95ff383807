-- The sandbox: what would have left the machine, and the reports its simulated people have yet to cause.

create table sandbox_messages (
  id           text primary key,
  business_id  text not null references businesses,
  send_id      text not null,
  message_id   text,
  recipient_id text not null,
  channel      text not null check (channel in ('email', 'sms', 'whatsapp')),
  recipient    text not null,            -- the address or number it was for
  subject      text,
  text         text not null,
  html         text,
  headers      jsonb not null default '{}',
  template     jsonb,
  provider_id  text not null,
  outcome      text not null,
  at           timestamptz not null
);
create index sandbox_messages_by_recipient on sandbox_messages (recipient, id desc);
create index sandbox_messages_by_person on sandbox_messages (business_id, recipient_id);
create index sandbox_messages_by_provider_id on sandbox_messages (provider_id);

create table sandbox_reports (
  id           text primary key,
  provider_id  text not null,
  status       text not null,
  error_code   text,
  due_at       timestamptz not null
);
create index sandbox_reports_due on sandbox_reports (due_at);
