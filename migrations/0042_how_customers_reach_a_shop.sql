-- Shown in the inbox. contact_email stays what it was: where Waypost writes to the shop, which customers do not see.
alter table businesses add column support_email text collate "C", add column shop_url text collate "C";
