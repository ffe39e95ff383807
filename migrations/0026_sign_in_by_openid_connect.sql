-- Members who sign in at the installation's OpenID Connect issuer.

alter table members
  -- Who they are there, from their first sign-in on: then an address of the issuer's decides nothing any more.
  add column oidc_issuer text collate "C",
  add column oidc_subject text collate "C",
  -- An operator by a claim of the issuer, and so only in sessions that began there.
  add column operator_by_claim boolean not null default false,
  add constraint members_oidc_subject check ((oidc_issuer is null) = (oidc_subject is null));
create unique index members_by_subject on members (oidc_issuer, oidc_subject);

alter table dashboard_sessions add column by_oidc boolean not null default false;
