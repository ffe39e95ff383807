-- A sign-in mail has a code beside its link, for who reads the mail on another device; new members get an invitation.

alter table sign_in_links
  -- Keyed, since six digits are few enough to try them all, and with the link's hash in it; null: a link of the demo shop.
  add column code_hash bytea,
  add column code_tries smallint not null default 0;

-- When an address was last invited. It outlives the member, so that nobody is flooded by being added and removed in turn.
create table member_invitations (
  address_hash  bytea primary key,   -- keyed
  sent_at     timestamptz not null
);
create index member_invitations_by_age on member_invitations (sent_at);
