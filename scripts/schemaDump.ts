import { type Queryable, statement } from '../src/db/statement.ts';

/**
 * The schema as text: each table with its columns, constraints and indexes. It is committed as
 * migrations/schema.sql, so that a reader sees the whole schema and a review shows what a migration changes.
 */
export async function dumpSchema(db: Queryable): Promise<string> {
  const columns = await readColumns(db);
  const constraints = await readConstraints(db);
  const indexes = await readIndexes(db);
  const tables = [...new Set(columns.map(({ table }) => table))];
  const parts = tables.map((table) => {
    const lines = [
      ...columns.filter((column) => column.table === table).map(({ definition }) => definition),
      ...constraints.filter((constraint) => constraint.table === table).map(({ definition }) => definition),
    ];
    const own = indexes.filter((index) => index.table === table).map(({ definition }) => `${definition};`);
    const options = columns.find((column) => column.table === table)?.options;
    return [
      `create table ${table} (`,
      lines.map((line) => `  ${line}`).join(',\n'),
      `)${options ? ` with (${options})` : ''};`,
      ...own,
    ].join('\n');
  });
  return `-- Made from the migrations by \`npm run schema\`. Do not edit.\n\n${parts.join('\n\n')}\n`;
}

const readColumns = statement<[], { table: string; definition: string; options: string | null }>(`
  select c.relname as table, array_to_string(c.reloptions, ', ') as options,
    quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as definition
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> 'schema_migrations'
  order by c.relname, a.attnum`);

/** Omits not-null constraints: only Postgres 18 lists them, and the columns show them anyway. */
const readConstraints = statement<[], { table: string; definition: string }>(`
  select c.relname as table, 'constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = current_schema()::regnamespace and k.contype <> 'n' and c.relname <> 'schema_migrations'
  order by c.relname, k.contype = 'p' desc, k.conname`);

const readIndexes = statement<[], { table: string; definition: string }>(`
  select c.relname as table, pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and c.relname <> 'schema_migrations'
    and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
  order by c.relname, 2`);
