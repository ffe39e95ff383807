import { readColumns, readConstraints, readIndexes } from './sql.ts';
import type { Queryable } from './statement.ts';

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
