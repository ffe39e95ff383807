-- Attempts at the URL before say nothing of the one since then. Null: it never changed.
alter table webhook_endpoints add column url_changed_at timestamptz;
