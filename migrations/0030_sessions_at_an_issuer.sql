-- Whether the member signed in at the OpenID Connect issuer.
alter table dashboard_sessions add column by_oidc boolean not null default false;
