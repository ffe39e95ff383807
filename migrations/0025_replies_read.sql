-- Which WhatsApp replies a shop has read, and what its credits were spent on by country.

-- Null: nobody marked it as read yet.
alter table whatsapp_replies add column read_at timestamptz;

-- Credits charged less those refunded, by the country that a message went to. Written beside the ledger, whose account is locked
-- meanwhile: writers of a business do not meet here. It holds no person and survives an erasure.
create table credits_by_country (
  business_id  text collate "C" not null references businesses,
  month        date not null,            -- its first day, UTC
  country      text collate "C" not null,
  credits      integer not null,
  primary key (business_id, month, country)
) with (fillfactor = 50);
