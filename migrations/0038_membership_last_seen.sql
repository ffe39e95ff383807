-- When a member last used this shop's pages, to the minute: what they do in other shops is none of its business. Null: not since
-- this column is there.
alter table memberships add column last_seen_at timestamptz;
