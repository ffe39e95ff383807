-- What belongs to the whole installation and to no business.
--
-- Two rules hold in every file:
-- Every text is collated "C": ids begin with their time and are sorted here and in the program, and both must agree whatever
-- language the database was made for (in Danish "aa" sorts after "z"). Comparing bytes is also the cheapest comparison.
-- Every table of a business has business_id first in its primary key, so that a distributed Postgres could shard on it.

-- Which version of Waypost applied each migration, so that an older one can name it when it refuses to start. The runner of
-- migrations creates the table and records each file.
alter table schema_migrations add column written_by text collate "C";

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

-- Shows that the database was restored from a dump (docs/adr/0015): the row names the transaction that wrote it, and a restore writes
-- it in another one. While held_since is set, or the row does not fit, nothing is claimed for sending.
create table restore_guard (
  only_row        boolean primary key default true check (only_row),
  transaction_id  bigint not null,   -- as the system column xmin shows it
  held_since      timestamptz        -- what was queued before may have gone out already; null: nothing is held
);
insert into restore_guard (transaction_id) values (pg_current_xact_id()::text::bigint & 4294967295);

-- Credits per text where a country does not cost the usual price.
create table country_prices (
  country  text collate "C" primary key check (country ~ '^[A-Z]{2}$'),
  credits  integer not null check (credits > 0)
);

-- All businesses use the same templates, one per order status. These are the English ones.
create table whatsapp_templates (
  order_status  text collate "C" primary key check (order_status in
    ('confirmed', 'shipped', 'ready_for_pickup', 'delivered', 'cancelled', 'refunded', 'delayed')),
  state         text collate "C" not null default 'approved' check (state in ('approved', 'in_review'))
);
insert into whatsapp_templates (order_status) values
  ('confirmed'), ('shipped'), ('ready_for_pickup'), ('delivered'), ('cancelled'), ('refunded'), ('delayed');

-- Whether WhatsApp has approved a template in another language. A template without a row was never submitted. `sandbox`: the sandbox
-- sends it without a review; a real provider starts without these rows.
create table template_translations (
  language      text collate "C" not null check (language ~ '^[a-z]{2,3}$'),
  order_status  text collate "C" not null check (order_status in
    ('confirmed', 'shipped', 'ready_for_pickup', 'delivered', 'cancelled', 'refunded', 'delayed')),
  state         text collate "C" not null check (state in ('approved', 'in_review', 'sandbox')),
  primary key (language, order_status)
);
