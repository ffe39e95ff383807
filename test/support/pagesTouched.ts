import type { Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';

/** How a connection may plan a statement that it has prepared. */
export const PLAN_MODES = ['auto', 'force_generic_plan', 'force_custom_plan'];

/**
 * Runs `ask` on a pool of one connection and counts the pages that its statements touch, with the plans that the connection would
 * keep or make anew.
 */
export async function pagesTouchedOn(
  pool: Pool,
  mode: string,
  ask: (db: Queryable) => Promise<unknown>,
): Promise<number> {
  await pool.query(`set plan_cache_mode = ${mode}`);
  let touched = 0;
  const query = new Proxy(pool.query, {
    async apply(target, _self, [asked]: [{ text: string; values: unknown[] }]) {
      const name = `asked${touched}`;
      const literals = asked.values.map(literal).join(', ');
      await pool.query(`prepare ${name} as ${asked.text}`);
      const { rows } = await pool.query(
        `explain (analyze, buffers, format json) execute ${name} (${literals})`,
      );
      await pool.query(`deallocate ${name}`);
      const [{ Plan: plan }]: [{ Plan: Record<string, number> }] = rows[0]['QUERY PLAN'];
      touched += Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
      return Reflect.apply(target, pool, [asked]);
    },
  });
  await ask({ query });
  return touched;
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`;
  return `'${String(value)}'`;
}
