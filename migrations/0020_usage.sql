-- Daily counters of what a business sent, spent and saved, and what a message's timeline needs beside the rows that exist.

-- Why the push sent no text or WhatsApp message; null: it did, or nobody asked for one. A later push that updates the message
-- adds a row to message_events instead.
alter table messages add column sms_skipped text collate "C", add column whatsapp_skipped text collate "C";

-- Counted in the transaction that changes things. The writers of a business would queue at one row a day, so each adds to one of
-- 16 rows, by its connection (slot 1 to 16). Retention folds past days into slot 0, and adds the same to the row of the month: slot -1
-- of its first day. A read sums up what covers its range. No person is in it.
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
-- What is not folded yet.
create index usage_counters_unfolded on usage_counters (day) where slot > 0;
