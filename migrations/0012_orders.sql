-- Orders: what is known of a reference. Shipments and tracking events are written by those who report them; `orders` follows from
-- them and from the messages.

-- What happened to orders and is not in `orders` yet: written in the transaction of a push, a shipment or a tracking event, applied
-- and deleted by a background step (docs/adr/0021). A row of `orders` per push would cost the push more than it may, and pushes about
-- one order would wait for each other.
create table order_changes (
  business_id      text collate "C" not null,
  id               text collate "C" not null,  -- begins with its time: changes are applied in this order
  reference        text collate "C" not null,
  recipient_id     text collate "C",           -- the person whom the push or the event concerns
  email            text collate "C",           -- their address, where an event names one that is no recipient's yet
  status           text collate "C",           -- an order status or a tracking status; null: it says nothing about the status
  status_at        timestamptz,                -- null: at the time of the change
  tracking_number  text collate "C",           -- of a tracking event
  at               timestamptz not null,
  -- A message was retracted or belongs to another order now: the order's status is looked up again. That is no change of the order.
  recounts         boolean not null default false,
  primary key (business_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create table orders (
  business_id  text collate "C" not null references businesses,
  reference    text collate "C" not null,
  status       text collate "C",                -- the latest word of messages and tracking events
  status_at    timestamptz,
  change_id    text collate "C" not null,       -- of the last change, which begins with its time
  updated_at   timestamptz not null,
  primary key (business_id, reference)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
-- The orders of a business, newest change first. One expression instead of columns, so that no other statement can use the index and
-- the list can use no other (see messages_by_reference).
create index orders_by_change on orders ((business_id || ' ' || change_id));
create index orders_by_status on orders ((business_id || ' ' || status || ' ' || change_id)) where status is not null;

-- The people of an order, by address: an event can name one to whom nothing was sent yet.
create table order_recipients (
  business_id  text collate "C" not null references businesses,
  reference    text collate "C" not null,
  email        text collate "C" not null,
  named_id     text collate "C" not null,       -- of the change that first named them: their order
  by_event     boolean not null default false,  -- named by a tracking event, not only by messages
  primary key (business_id, reference, email)
);
-- A person's orders, the one that named them last first. email first: see recipients_by_email.
create index order_recipients_by_email on order_recipients (email, business_id, named_id);

-- No reference to businesses, which a push with a shipment would check once more than it does for its message.
create table shipments (
  business_id      text collate "C" not null,
  reference        text collate "C" not null,
  tracking_number  text collate "C" not null,
  id               text collate "C" not null,   -- shipments stand in the order in which they were first named
  carrier          text collate "C",
  tracking_url     text collate "C",
  expected_on      date,
  expected_until   date,
  status           text collate "C",            -- of its latest tracking event
  status_at        timestamptz,
  updated_at       timestamptz not null,
  primary key (business_id, reference, tracking_number)
) with (fillfactor = 85);

create table tracking_events (
  business_id      text collate "C" not null,
  reference        text collate "C" not null,
  tracking_number  text collate "C" not null,
  status           text collate "C" not null,
  at               timestamptz not null,
  id               text collate "C" not null,   -- the order in which they were received
  description      text collate "C",
  location         text collate "C",
  received_at      timestamptz not null,
  primary key (business_id, reference, tracking_number, status, at),
  foreign key (business_id, reference, tracking_number) references shipments (business_id, reference, tracking_number)
);

-- A shop's own words for the messages that Waypost writes itself. A shop without a row uses ours.
create table business_texts (
  business_id   text collate "C" not null references businesses,
  order_status  text collate "C" not null,
  language      text collate "C" not null,
  subject       text collate "C" not null,
  body          text collate "C" not null,
  changed_by    text collate "C" not null,  -- as the audit log names who acts
  updated_at    timestamptz not null,
  primary key (business_id, order_status, language)
);
