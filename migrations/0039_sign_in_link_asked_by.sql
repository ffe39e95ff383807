-- Who asked for a link: the keyed hash of the client's address, or the hash of a session. Links are counted by it, so that a
-- stranger cannot use up the member's. Null: a link of the demo shop, or of the version before.
alter table sign_in_links add column asked_by bytea;
