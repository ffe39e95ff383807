-- What merchants are told. An event is written with the change it reports and fanned out in the same statement.

create table webhook_endpoints (
  business_id           text not null references businesses,
  id                    text not null,
  url                   text not null,
  description           text,
  secret_sealed         bytea not null,
  secret_masked         text not null,
  event_types           text[] not null default '{}',    -- empty: every event
  consecutive_failures  integer not null default 0,
  disabled_at           timestamptz,
  deleted_at            timestamptz,
  created_at            timestamptz not null,
  last_success_at       timestamptz,
  last_error            text,
  primary key (business_id, id)
) with (fillfactor = 70);
create unique index webhook_endpoints_one_a_url on webhook_endpoints (business_id, url) where deleted_at is null;

create table events (
  business_id   text not null references businesses,
  id            text not null,
  type          text not null,
  occurred_at   timestamptz not null,
  message_id    text,
  recipient_id  text,
  data          jsonb not null,
  primary key (business_id, id)
);
create index events_by_recipient on events (business_id, recipient_id) where recipient_id is not null;
create index events_by_age on events using brin (occurred_at);

create table webhook_deliveries (
  business_id   text not null,
  endpoint_id   text not null,
  event_id      text not null,
  state         text not null default 'pending' check (state in ('pending', 'delivered', 'exhausted', 'stopped')),
  due_at        timestamptz,             -- pending: attempt from here on, or the end of the lease
  lease         text,
  attempts      smallint not null default 0,
  created_at    timestamptz not null,
  settled_at    timestamptz,
  primary key (business_id, endpoint_id, event_id),
  foreign key (business_id, event_id) references events (business_id, id),
  foreign key (business_id, endpoint_id) references webhook_endpoints (business_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_deliveries_due on webhook_deliveries (business_id, endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_by_event on webhook_deliveries (business_id, event_id);

create table webhook_attempts (
  business_id  text not null,
  endpoint_id  text not null,
  event_id     text not null,
  attempt      smallint not null,
  at           timestamptz not null,
  status_code  smallint,
  error        text,
  duration_ms  integer not null,
  primary key (business_id, endpoint_id, event_id, attempt)
);
create index webhook_attempts_by_age on webhook_attempts using brin (at);
