-- The operator's list counts and finds the shops that something is wrong with, newest first, at any number of shops.
create index concurrently businesses_set_aside on businesses (active, id) where not active or paused or plan <> 'active';
