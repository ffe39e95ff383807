-- When the mailbox of returned mails is read next, if one is set: the process that moves this time on reads it, and the others wait.
create table bounce_mailbox (
  only_row      boolean primary key default true check (only_row),
  next_read_at  timestamptz not null default 'epoch'
);
insert into bounce_mailbox default values;
