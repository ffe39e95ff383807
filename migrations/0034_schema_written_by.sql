-- Which version of Waypost applied each migration, so that an older one can name it when it refuses to start. Null: applied before
-- this was recorded.
alter table schema_migrations add column written_by text collate "C";
