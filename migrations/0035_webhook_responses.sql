-- response: what the endpoint answered: its headers, a blank line, and the beginning of its body. Null where it said nothing beside its
-- status, and after 7 days.
alter table webhook_attempts add column response text collate "C";
