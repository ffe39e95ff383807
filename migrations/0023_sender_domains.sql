-- Domains that shops send mail from with a DKIM key of their own. A sender of emails whose domain has no row is used as it is; one
-- whose domain has a row is used while that is verified.
create table sender_domains (
  business_id         text collate "C" primary key references businesses,  -- a shop has one sender of emails
  domain              text collate "C" not null,
  state               text collate "C" not null default 'pending' check (state in ('pending', 'verified', 'broken')),
  selector            text collate "C" not null,
  public_key          text collate "C" not null,          -- as the DNS record holds it
  private_key_sealed  bytea not null,
  findings            jsonb not null default '[]',        -- of the last check
  created_at          timestamptz not null,
  checked_at          timestamptz,                        -- null: not yet
  check_due_at        timestamptz not null,
  failing_since       timestamptz                         -- null: the last check that got an answer found the key, or none ever did
);
create index sender_domains_due on sender_domains (check_due_at);
