-- The operator's list counts and finds the shops that something is wrong with, newest first, at any number of shops. The expression
-- keeps the planner from reading all shops by their primary key instead: it cannot know how few are set aside.
create index concurrently businesses_set_aside on businesses (active, (id || ' ')) where not active or paused or plan <> 'active';
