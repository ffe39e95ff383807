-- Shows that the database was restored from a dump (docs/adr/0015): the row names the transaction that wrote it, and a restore writes
-- it in another one. While held_since is set, or the row does not fit, nothing is claimed for sending.
create table restore_guard (
  only_row        boolean primary key default true check (only_row),
  transaction_id  bigint not null,   -- as the system column xmin shows it
  held_since      timestamptz        -- what was queued before may have gone out already; null: nothing is held
);
insert into restore_guard (transaction_id) values (pg_current_xact_id()::text::bigint & 4294967295);
