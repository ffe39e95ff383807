import { statement } from '../src/db/statement.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { startRetention } from '../src/retention/retention.ts';
import { atEnd } from './cleanup.ts';
import type { BenchDatabase, BenchEnvironment } from './environment.ts';
import { after } from './measure.ts';
import { createSteadyPushes, IN_PROCESS_CONNECTIONS, latencyOf, openPushDeps } from './pushInProcess.ts';
import { SILENT_LOG } from './rows/webhooks.ts';

const CHUNK = 200_000;
const ALONE_SECONDS = 10;
const ENDPOINT = 'bench-endpoint';

/** Every second row is expired. */
const AGED = `case when n % 2 = 0 then now() - interval '40 days' - n * interval '1 millisecond' else now() + interval '1 day' end`;

/** Shares of all rows, as a shop with one endpoint has them (most are stored answers), and what the table gets for numbers n. */
const TABLES: readonly [share: number, insert: string][] = [
  [
    0.4,
    `idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
      select $1, 'push', 'aged-' || n, sha256(n::text::bytea), 201, repeat('x', 700), 'r' || n % 100000, ${AGED}, ${AGED}`,
  ],
  [
    0.2,
    `events (business_id, id, type, occurred_at, message_id, recipient_id, data)
      select $1, 'e' || lpad(n::text, 9, '0'), 'message.delivered', ${AGED}, 'm' || n, 'r' || n % 100000,
        jsonb_build_object('message_id', 'm' || n, 'recipient_email', 'person@example.com', 'subject', 'Your order', 'channel', 'email')`,
  ],
  [
    0.2,
    `webhook_deliveries (business_id, endpoint_id, event_id, state, attempts, created_at, settled_at, attempts_logged)
      select $1, '${ENDPOINT}', 'e' || lpad(n::text, 9, '0'), 'delivered', 1, ${AGED}, ${AGED}, 1`,
  ],
  [
    0.2,
    `webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, duration_ms)
      select $1, '${ENDPOINT}', 'e' || lpad(n::text, 9, '0'), 1, ${AGED}, 200, 12`,
  ],
];

const agedTables = statement<[], { table: string; megabytes: number; dead_rows: number; vacuums: number }>(`
  select relname as table, (pg_total_relation_size(relid) / 1048576)::int as megabytes, n_dead_tup::int as dead_rows,
    (vacuum_count + autovacuum_count)::int as vacuums
  from pg_stat_user_tables
  where relname in ('idempotency_records', 'events', 'webhook_deliveries', 'webhook_attempts') order by 1`);

/** Whether deletion row by row keeps up in big tables: how fast it is, what it costs pushes, and what it leaves behind. */
export async function benchRetention(
  world: BenchEnvironment,
  { rows = 10_000_000, seconds = 60, pushesPerSecond = 100 } = {},
) {
  const shop = await world.database('retention', 0, IN_PROCESS_CONNECTIONS);
  const deps = await openPushDeps(shop.pool);
  await seedAged(shop, rows);
  const push = createSteadyPushes(deps, shop, pushesPerSecond);
  await push(after(ALONE_SECONDS / 2));
  const alone = latencyOf(await push(after(ALONE_SECONDS)));
  const before = await agedTables(shop.pool);
  /** By table. */
  const deleted = new Map<string, number>();
  const began = monotonicMs();
  const retention = startRetention({
    ...deps,
    log: SILENT_LOG,
    onDeleted: (table, count) => deleted.set(table, (deleted.get(table) ?? 0) + count),
  });
  // Before the database, also when a push fails: it would go on without its pool.
  atEnd(() => retention.stop());
  const beside = latencyOf(await push(after(seconds)));
  const elapsed = (monotonicMs() - began) / SECOND;
  await retention.stop();
  const perSecond = Array.from(deleted, ([table, count]) => [table, Math.round(count / elapsed)] as const);
  const deletedPerSecond: Record<string, number> = Object.fromEntries(perSecond);
  return { rows, deletedPerSecond, alone, beside, before, after: await agedTables(shop.pool) };
}

async function seedAged({ pool, businessId }: BenchDatabase, rows: number): Promise<void> {
  const endpoint = `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
    values ($1, $2, 'https://example.com/hook', '', '', now())`;
  await pool.query(endpoint, [businessId, ENDPOINT]);
  for (const [share, insert] of TABLES) {
    const count = Math.round(rows * share);
    for (let first = 0; first < count; first += CHUNK) {
      const last = Math.min(first + CHUNK, count) - 1;
      const rows = `insert into ${insert} from generate_series($2::int, $3) n`;
      await pool.query(rows, [businessId, first, last]);
    }
  }
  await pool.query('analyze');
}
