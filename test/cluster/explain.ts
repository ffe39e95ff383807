import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type pg from 'pg';
import { declaredStatements } from '../../src/db/statement.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** A statement as a cluster runs it. */
export interface ClusterStatement {
  /** `outbox/lockSql.ts lockSends`, with the number of the step where there are several. */
  name: string;
  text: string;
}

/**
 * `one shard`: one task. `steps on one shard`: several tasks of one shard each, with intermediate results between them. `no
 * shard`: copied tables, tables of the coordinator, or none.
 */
export type Placement = 'one shard' | 'steps on one shard' | 'no shard' | 'all shards';

const ADMINISTRATION =
  /create_distributed_table|create_reference_table|truncate_local_data|run_command_on_workers|master_run_on_worker/;

/** Every statement that a module of src declares. One that is not exported is named by its text. */
export async function clusterStatements(): Promise<ClusterStatement[]> {
  const names = new Map<unknown, string>();
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => /sql\.ts$/i.test(file))
    .sort();
  for (const file of files) {
    const module: unknown = await import(/* @vite-ignore */ pathToFileURL(join(SOURCE, file)).href);
    for (const [name, value] of Object.entries(module ?? {})) names.set(value, `${file} ${name}`);
  }
  // Those that distribute tables or ask the workers are made when they are needed, and are not part of what is planned.
  const declared = declaredStatements().filter(
    ({ cluster }) => !cluster.some((text) => ADMINISTRATION.test(text)),
  );
  return declared.flatMap(({ statement, cluster }) =>
    cluster.map((text, step) => {
      const name = names.get(statement) ?? text.replace(/\s+/g, ' ').trim();
      return { name: cluster.length > 1 ? `${name} #${step + 1}` : name, text };
    }),
  );
}

/** Errors of a statement that ran with made-up values: a constraint, or JSON of another shape. */
const MADE_UP = /violates|duplicate key|populate_composite|invalid value for parameter/;

/** Runs a statement with made-up values, takes it back, and answers where it ran. Throws where it cannot run. */
export async function placementOf(client: pg.Client, { text }: ClusterStatement): Promise<Placement> {
  await client.query('begin');
  try {
    await client.query(`prepare tried as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `select parameter_types::text[] as types from pg_prepared_statements where name = 'tried'`,
    );
    const types = rows[0]?.types ?? [];
    const call = `execute tried${types.length === 0 ? '' : `(${types.map(madeUp).join(', ')})`}`;
    const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${call}`);
    const placement = placementIn(lines.map((line) => line['QUERY PLAN']).join('\n'));
    await client.query(call).catch((error: unknown) => {
      if (!MADE_UP.test(String(error))) throw error;
    });
    return placement;
  } finally {
    await client.query('rollback');
    await client.query('deallocate all');
  }
}

function placementIn(plan: string): Placement {
  const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
  const steps = /Distributed Subplan|INSERT \.\.\. SELECT/.test(plan);
  if (tasks.some((count) => count > 1)) return 'all shards';
  if (steps) return 'steps on one shard';
  return tasks.length === 0 ? 'no shard' : 'one shard';
}

function madeUp(type: string): string {
  if (type === 'bytea[]') return String.raw`array['\x00']::bytea[]`;
  if (type.endsWith('[]')) return `array[${madeUp(type.slice(0, -2))}]::${type}`;
  if (type === 'json' || type === 'jsonb') return `'[{"business_id": "b", "id": "i"}]'::${type}`;
  if (type === 'bytea') return String.raw`'\x00'::bytea`;
  if (type === 'date' || type.startsWith('timestamp')) return `'2026-08-20'::${type}`;
  if (/int|double|numeric|real/.test(type)) return `1::${type}`;
  if (type === 'boolean') return 'true';
  return `'b'::${type}`;
}
