import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { test } from 'vitest';
import { declaredStatements } from '../../src/db/statement.ts';
import { CITUS_URL, makeDistributedDatabase, dropCitusDatabase } from '../support/citus.ts';

const dummy = (type: string): string => {
  if (type.endsWith('[]'))
    return type === 'bytea[]' ? `array['\\x00']::bytea[]` : `array[${dummy(type.slice(0, -2))}]::${type}`;
  if (['json', 'jsonb'].includes(type)) return `'[{"business_id":"x"}]'::${type}`;
  if (type === 'bytea') return `'\\x00'::bytea`;
  if (type.startsWith('timestamp') || type === 'date') return `'2026-01-01'::${type}`;
  if (/int|double|numeric|real/.test(type)) return `1::${type}`;
  if (type === 'boolean') return 'true';
  return `'x'::${type}`;
};
test('x', async () => {
  const d = { url: await makeDistributedDatabase(CITUS_URL ?? '', 'probe9'), drop: () => dropCitusDatabase(CITUS_URL ?? '', 'probe9') };
  try {
    
    const c = new pg.Client({ connectionString: d.url });
    await c.connect();
    
    const { readdirSync } = await import('node:fs');
    const where = new Map<string, string>();
    for (const f of readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((f) => /sql\.ts$/i.test(f) || /translationsSql|db\/instance|backends/.test(f))
      .sort()) {
      const m: Record<string, unknown> = await import(`../../src/${f}`);
      for (const [k, v] of Object.entries(m)) {
        const t = declaredStatements().get(v);
        if (t)
          t.cluster.forEach((x, i) =>
            where.set(
              `${f.replace(/(\/?)sql\.ts$/i, '$1')}.${k}${t.cluster.length > 1 ? ` #${i + 1}` : ''}`,
              x,
            ),
          );
      }
    }
    const named = new Set(where.values());
    for (const [, t] of declaredStatements())
      for (const x of t.cluster)
        if (!named.has(x)) where.set(`? ${x.replace(/\s+/g, ' ').slice(0, 80)} ${where.size}`, x);
    const out: Record<string, string[]> = {};
    for (const mode of ['force_custom_plan']) {
      await c.query(`set plan_cache_mode = ${mode}`);
      let n = 0;
      for (const [file, text] of where) {
        n += 1;
        const name = `s${n}`;
        let kind = '';
        try {
          await c.query(`prepare ${name} as ${text}`);
          const types: string[] = (
            await c.query(
              `select parameter_types::text[] as t from pg_prepared_statements where name = '${name}'`,
            )
          ).rows[0].t;
          const args = types.length ? `(${types.map(dummy).join(', ')})` : '';
          await c.query('begin');
          const plan: string = (await c.query(`explain (costs off) execute ${name}${args}`)).rows
            .map((r) => r['QUERY PLAN'])
            .join('\n');
          const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map((m) => Number(m[1]));
          const subplans = (plan.match(/Distributed Subplan/g) ?? []).length;
          const pull = /pull to coordinator|INSERT \.\.\. SELECT/.test(plan);
          kind =
            tasks.length === 0 && !pull
              ? 'local'
              : subplans === 0 && !pull && Math.max(...tasks) <= 1
                ? 'single'
                : Math.max(0, ...tasks) <= 1 && !pull
                  ? `steps ${tasks.length}`
                  : Math.max(0, ...tasks) <= 1
                    ? `pull ${tasks.length}`
                    : `across tasks=${tasks} sub=${subplans} pull=${pull}`;
        } catch (e) {
          kind = 'FAIL ' + (e as Error).message;
        }
        await c.query('rollback').catch(() => {});
        (out[kind.split(' ')[0] ?? ''] ??= []).push(`${file} :: ${kind}`);
      }
    }
    await c.end();
    writeFileSync(
      '/tmp/wp/citusbuild/plans.txt',
      Object.entries(out)
        .map(([k, l]) => `## ${k} ${l.length}\n${l.join('\n')}`)
        .join('\n\n'),
    );
  } finally {
    await d.drop();
  }
});
