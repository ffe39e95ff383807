-- Members who sign in at the installation's OpenID Connect issuer.
alter table members
  -- Who they are there, from their first sign-in on: then an address of the issuer's decides nothing any more. Both or neither.
  add column oidc_issuer text collate "C",
  add column oidc_subject text collate "C",
  -- An operator by a claim of the issuer, and so only in sessions that began there.
  add column operator_by_claim boolean not null default false;
