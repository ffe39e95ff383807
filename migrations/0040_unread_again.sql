-- An update in place nudged since the person last opened the message, so it counts as unread until they open it again.
-- `opened_at` keeps the first opening. It is a state and not a time: the row's lock decides whether the opening or the update
-- came first, and their clocks may say otherwise.
alter table messages add column unread_again boolean not null default false;
