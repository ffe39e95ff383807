-- Ids carry their time and are sorted here and in the program; both must agree, whatever language the database was made
-- for (in Danish "aa" comes after "z"). So every text sorts by its bytes, which is also the cheapest way to compare.

do $$
declare
  concerned record;
begin
  for concerned in
    select c.oid::regclass as name,
      string_agg(format('alter column %I type %s collate "C"', a.attname, format_type(a.atttypid, a.atttypmod)), ', ') as changes
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
      and a.attcollation <> 0
    group by c.oid
  loop
    execute format('alter table %s %s', concerned.name, concerned.changes);
  end loop;
end
$$;
