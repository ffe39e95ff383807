-- What a business may spend and has spent, and the counts of what it sent.

-- balance is what is not yet spent; reserved is the part of it set aside for queued sends. A hot row that every permit
-- updates in place, hence half-empty pages and an eager vacuum.
create table credit_accounts (
  business_id           text collate "C" primary key references businesses,
  balance               integer not null default 0 check (balance >= 0),
  reserved              integer not null default 0 check (reserved >= 0),
  low_balance_notified  boolean not null default false,
  constraint credit_accounts_within_balance_check check (reserved <= balance)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

create table credit_ledger (
  business_id  text collate "C" not null references businesses,
  id           text collate "C" not null,
  kind         text collate "C" not null check (kind in ('grant', 'charge', 'refund')),
  amount       integer not null,
  send_id      text collate "C",
  note         text collate "C",
  at           timestamptz not null,
  primary key (business_id, id),
  constraint credit_ledger_sign_check
    check ((kind = 'charge' and amount <= 0) or (kind = 'refund' and amount >= 0) or kind = 'grant'),
  constraint credit_ledger_send_check check ((send_id is null) = (kind = 'grant'))
);
-- At most one charge and one refund per send: a retry after a crash cannot take or give twice.
create unique index credit_ledger_once on credit_ledger (business_id, send_id, kind) where send_id is not null;

-- Credits charged less those refunded, by the country that a message went to. Written beside the ledger, whose account is locked
-- meanwhile, so writers of a business do not wait for each other here. It holds no person and survives an erasure.
create table credits_by_country (
  business_id  text collate "C" not null references businesses,
  month        date not null,            -- its first day, UTC
  country      text collate "C" not null,
  credits      integer not null,
  primary key (business_id, month, country)
) with (fillfactor = 50);

-- One row per business: whether the event about its used-up email allowance was written in this period.
create table business_usage (
  business_id         text collate "C" primary key references businesses,
  allowance_reported  boolean not null default false
);

-- The counts that limits are judged by, in a few rows instead of one: a permit locks one of them, so that permits of one business do
-- not wait for each other. Near a limit it locks them all, so that no limit is passed.
create table usage_slots (
  business_id       text collate "C" not null references businesses,
  slot              smallint not null check (slot between 0 and 7),
  day               date,
  emails_today      integer not null default 0,
  texts_today       integer not null default 0,
  emails_in_period  integer not null default 0,
  primary key (business_id, slot)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Daily counters of what a business sent, spent and saved, counted in the transaction of the change. The writers of a business would
-- queue at one row per day, so each adds to one of 16 rows, by its connection (slot 1 to 16). Retention folds past days into slot 0,
-- and adds the same to the row of the month: slot -1 of its first day. A read sums up what covers its range. No person is in it.
create table usage_counters (
  business_id                 text collate "C" not null,
  day                         date not null,         -- UTC, by the service's clock
  slot                        smallint not null,
  messages                    integer not null default 0,
  email_sent                  integer not null default 0,
  email_delivered             integer not null default 0,
  email_opened                integer not null default 0,
  email_bounced               integer not null default 0,
  email_complained            integer not null default 0,
  email_failed                integer not null default 0,
  email_not_sent              integer not null default 0,
  sms_sent                    integer not null default 0,
  sms_delivered               integer not null default 0,
  sms_failed                  integer not null default 0,
  sms_rejected                integer not null default 0,
  sms_skipped                 integer not null default 0,
  sms_credits                 integer not null default 0,  -- less refunds, so a day can be negative
  whatsapp_sent               integer not null default 0,
  whatsapp_delivered          integer not null default 0,
  whatsapp_read               integer not null default 0,
  whatsapp_failed             integer not null default 0,
  whatsapp_rejected           integer not null default 0,
  whatsapp_skipped            integer not null default 0,
  whatsapp_credits            integer not null default 0,
  avoided_opened_first        integer not null default 0,
  avoided_whatsapp_sufficed   integer not null default 0,
  avoided_retracted           integer not null default 0,
  avoided_credits             integer not null default 0,
  -- Openings by the time since the push, in buckets that grow by 18 %: '0,0,3,1'. As text, since a year's reports are read far more
  -- often than a message is opened, and making text of 100 numbers a day took most of their time.
  open_minutes                text collate "C",
  primary key (business_id, day, slot)
  -- A row is updated by every commit of its day: half of each page is free, so that the new version stays on it (HOT).
) with (fillfactor = 50, autovacuum_vacuum_threshold = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- Finds the days that are not folded yet.
create index usage_counters_unfolded on usage_counters (day) where slot > 0;
