-- Whether a WhatsApp reply is acknowledged automatically, and the credits that it costs.
alter table businesses
  add column reply_ack text collate "C" not null default 'on',
  add column reply_ack_credits integer not null default 0;
