-- Connections: stores and tracking services that tell by themselves. A call is stored as it came and answered; a worker reads it, compares
-- it with what is known of its order, and pushes what is new.

-- No reference to businesses: on a cluster this table is on every node, because a call names only the connection.
create table connections (
  id                      text collate "C" primary key,
  business_id             text collate "C" not null,
  kind                    text collate "C" not null,
  name                    text collate "C" not null,
  status                  text collate "C" not null default 'watching' check (status in ('watching', 'live', 'off')),
  settings                jsonb not null default '{}',
  secret_sealed           bytea,                    -- null: a store whose calls are proved by its public keys
  previous_secret_sealed  bytea,                    -- the one before it, which still counts until previous_secret_until
  previous_secret_until   timestamptz,
  store_url               text collate "C",
  credentials_sealed      bytea,                    -- for our own calls to the store or the service, as JSON
  statuses_seen           text[] collate "C" not null default '{}',  -- the store's own words that are not among its kind's
  created_at              timestamptz not null,
  last_received_at        timestamptz,              -- at most ten seconds behind the newest call
  last_error              text collate "C",         -- of our own calls, as a sentence
  next_read_at            timestamptz,              -- when we next read what we missed, or register shipments; null: never
  read_up_to              text collate "C",         -- how far we have read
  read_failures           smallint not null default 0  -- of our reads, since the last that worked
) with (fillfactor = 70);
create index connections_by_business on connections (business_id, id);
create index connections_by_read on connections (next_read_at) where next_read_at is not null;

create table connection_calls (
  business_id    text collate "C" not null,
  connection_id  text collate "C" not null,
  id             text collate "C" not null,
  call_key       text collate "C" not null,       -- tells it from the other calls of its connection
  topic          text collate "C" not null,
  store_order    text collate "C",                -- the store's id of the order: calls of one order are handled one after another
  order_number   text collate "C",                -- as the shop knows it; null: not known yet
  email          text collate "C",                -- the person's, so that erasure finds it
  headers        jsonb not null,                  -- those that its kind reads
  body           bytea not null,
  received_at    timestamptz not null,
  is_watched     boolean not null,                -- it came while the connection was watching, so nothing of it is ever sent
  due_at         timestamptz,                     -- handle it from here on, or the end of the lease; null: done
  lease          text collate "C",
  attempts       smallint not null default 0,
  outcome        text collate "C" check (outcome in ('pushed', 'would_push', 'nothing_to_tell', 'not_understood', 'refused')),
  reason         text collate "C",
  message_id     text collate "C",
  would_push     jsonb,                           -- the messages that it would have made
  primary key (business_id, connection_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- call_key first: otherwise this index looks as good as the key to a plan that is made while the table is empty.
create unique index connection_calls_once on connection_calls (call_key, business_id, connection_id);
create index connection_calls_due on connection_calls (business_id, connection_id, due_at) where due_at is not null;
-- A call waits until the earlier ones of its order are done.
create index connection_calls_waiting on connection_calls (business_id, connection_id, store_order, id)
  where due_at is not null and store_order is not null;
create index connection_calls_by_order on connection_calls (business_id, connection_id, order_number, id) where order_number is not null;
create index connection_calls_by_email on connection_calls (business_id, email) where email is not null;
create index connection_calls_by_age on connection_calls (received_at);

-- What a store has told of an order, and what of it was passed on.
create table connection_orders (
  business_id    text collate "C" not null,
  connection_id  text collate "C" not null,
  store_order    text collate "C" not null,
  order_number   text collate "C",
  email          text collate "C",
  known          jsonb not null,
  revision       text collate "C" not null,       -- of the last write: one that has read an older one starts anew
  updated_at     timestamptz not null,
  primary key (business_id, connection_id, store_order)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index connection_orders_by_email on connection_orders (business_id, email) where email is not null;
create index connection_orders_by_age on connection_orders (updated_at);

-- The shipments that were named to a tracking service.
create table tracking_registrations (
  business_id      text collate "C" not null,
  connection_id    text collate "C" not null,
  tracking_number  text collate "C" not null,
  carrier          text collate "C",
  created_at       timestamptz not null,
  attempts         smallint not null default 0,
  due_at           timestamptz,                   -- null: registered, or given up
  registered_at    timestamptz,
  error            text collate "C",
  primary key (business_id, connection_id, tracking_number)
) with (fillfactor = 85);
create index tracking_registrations_due on tracking_registrations (business_id, connection_id, due_at) where due_at is not null;
create index tracking_registrations_by_age on tracking_registrations (created_at);
