import { statement } from './statement.ts';

export const readColumns = statement<[], { table: string; definition: string; options: string | null }>(`
  select c.relname as table, array_to_string(c.reloptions, ', ') as options,
    quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as definition
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'
  order by c.relname, a.attnum`);

/** Not-null constraints are left out: Postgres 18 lists them, older ones do not, and the columns say it anyway. */
export const readConstraints = statement<[], { table: string; definition: string }>(`
  select c.relname as table, 'constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = 'public'::regnamespace and k.contype <> 'n' and c.relname <> 'schema_migrations'
  order by c.relname, k.contype = 'p' desc, k.conname`);

export const readIndexes = statement<[], { table: string; definition: string }>(`
  select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'
    and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
  order by c.relname, 2`);
