-- A business's own sender with one provider of a channel, which comes before the one with every provider (business_senders). Emails
-- have none: the address of a verified domain goes with every provider. A table of its own, because the version before this one
-- reads each row of business_senders as the sender of the channel.
create table provider_senders (
  business_id  text collate "C" not null references businesses,
  channel      text collate "C" not null check (channel in ('sms', 'whatsapp')),
  provider     text collate "C" not null,
  address      text collate "C" not null,
  primary key (business_id, channel, provider)
);
create index provider_senders_by_address on provider_senders (channel, address);
