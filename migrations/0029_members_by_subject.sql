-- A subject of an issuer is one member.
create unique index concurrently members_by_subject on members (oidc_issuer, oidc_subject);
