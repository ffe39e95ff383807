import type { Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';

export const PLAN_MODES = ['auto', 'force_generic_plan', 'force_custom_plan'];

/**
 * Runs `ask` and counts the pages that its statements touch, with the plans that the connection would keep or make anew. The pool has one
 * connection.
 */
export async function pagesTouched(
  pool: Pool,
  mode: string,
  ask: (db: Queryable) => Promise<unknown>,
): Promise<number> {
  await pool.query(`set plan_cache_mode = ${mode}`);
  let touched = 0;
  let asked = 0;
  const query = new Proxy(pool.query, {
    async apply(target, _self, [statement]: [{ text: string; values: unknown[] }]) {
      asked += 1;
      const name = `asked${asked}`;
      const literals = statement.values.map(literal).join(', ');
      await pool.query(`prepare ${name} as ${statement.text}`);
      const { rows } = await pool.query(
        `explain (analyze, buffers, format json) execute ${name} ${literals === '' ? '' : `(${literals})`}`,
      );
      await pool.query(`deallocate ${name}`);
      const [{ Plan: plan }]: [{ Plan: Record<string, number> }] = rows[0]['QUERY PLAN'];
      touched += Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
      return Reflect.apply(target, pool, [statement]);
    },
  });
  await ask({ query });
  return touched;
}

/** Without a type, so that each takes that of its parameter. */
function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return `'${(Array.isArray(value) ? `{${value.map(element).join(',')}}` : textOf(value)).replaceAll("'", "''")}'`;
}

const element = (value: unknown): string => (value === null ? 'null' : JSON.stringify(textOf(value)));

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value);
}
