-- What belongs to the whole installation and to no business.
--
-- Two rules hold in every file:
-- Every text is collated "C": ids begin with their time and are sorted here and in the program, and both must agree whatever
-- language the database was made for (in Danish "aa" sorts after "z"). Comparing bytes is also the cheapest comparison.
-- Every table of a business has business_id first in its primary key, so that a distributed Postgres could shard on it.

-- Secrets sealed with SECRET_KEY, such as the pepper of the keyed hashes.
create table instance_secrets (
  name    text collate "C" primary key,
  sealed  bytea not null
);

-- The sandbox can move the clock of all processes: one row, whose offset is added to the database's clock.
create table service_clock (
  only_row   boolean primary key default true check (only_row),
  offset_ms  bigint not null default 0
);
insert into service_clock default values;

-- Credits per text where a country does not cost the usual price.
create table country_prices (
  country  text collate "C" primary key check (country ~ '^[A-Z]{2}$'),
  credits  integer not null check (credits > 0)
);

-- All businesses use the same templates, one per order status.
create table whatsapp_templates (
  order_status  text collate "C" primary key check (order_status in
    ('confirmed', 'shipped', 'ready_for_pickup', 'delivered', 'cancelled', 'refunded', 'delayed')),
  state         text collate "C" not null default 'approved' check (state in ('approved', 'in_review'))
);
insert into whatsapp_templates (order_status) values
  ('confirmed'), ('shipped'), ('ready_for_pickup'), ('delivered'), ('cancelled'), ('refunded'), ('delayed');
