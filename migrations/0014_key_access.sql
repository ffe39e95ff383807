-- What a key may call: everything (full), pushing and what a sender reads (send), or reading alone (read). It never changes: a caller
-- whose key was looked up before can be judged without another look.
alter table api_keys
  add column access text collate "C" not null default 'full',
  add constraint api_keys_access_check check (access in ('full', 'send', 'read')) not valid;
