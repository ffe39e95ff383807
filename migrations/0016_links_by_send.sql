-- A link is known by the send that carries it, and every link has one. An id of its own was one more column to make up and one more
-- index to write for every nudge.
alter table links drop constraint links_pkey;
alter table links drop column id;
alter table links alter column send_id set not null;
drop index links_one_a_send;
alter table links add primary key (business_id, send_id);
