-- A shop's logo, for its inbox and its mails.

create table logos (
  business_id  text collate "C" not null references businesses,
  name         text collate "C" not null,    -- the hash of its content, and the ending of its type
  content      bytea not null,               -- written anew from what was uploaded
  created_at   timestamptz not null,
  replaced_at  timestamptz,                  -- null: in use; mails that were sent before show it for a while
  primary key (business_id, name)
);
-- Images are compressed already.
alter table logos alter column content set storage external;
create index logos_by_age on logos (replaced_at) where replaced_at is not null;

-- The name of the logo in use.
alter table businesses add column logo text collate "C";
