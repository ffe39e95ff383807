-- A code is looked for among what its browser requested.
create index concurrently sign_in_links_by_browser on sign_in_links (browser_hash) where browser_hash is not null;
