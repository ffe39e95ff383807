-- Revoked keys and deleted endpoints go after a while, oldest first: each needs its age in order. Both indexes hold only such rows, so
-- they cost neither a call that uses a key nor a delivery anything.
create index api_keys_by_revocation on api_keys (revoked_at) where revoked_at is not null;
create index webhook_endpoints_by_deletion on webhook_endpoints (deleted_at) where deleted_at is not null;
