import { statement } from '../src/db/statement.ts';

/** Numbers from `first` on: every second row is expired. */
type Rows = [businessId: string, first: number, count: number];

const NUMBERS = `generate_series($2::int, $2::int + $3::int - 1) n`;
const AGED = `case when n % 2 = 0 then now() - interval '40 days' - n * interval '1 millisecond' else now() + interval '1 day' end`;
const RESPONSE = `repeat('x', 700)`;

export const seedAgedAnswers = statement<Rows>(`
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select $1, 'push', 'aged-' || n, sha256(n::text::bytea), 201, ${RESPONSE}, 'r' || n % 100000, ${AGED}, ${AGED}
  from ${NUMBERS}`);

export const seedAgedEvents = statement<Rows>(`
  insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
  select $1, 'e' || lpad(n::text, 9, '0'), 'message.delivered', ${AGED}, 'm' || n, 'r' || n % 100000,
    jsonb_build_object('message_id', 'm' || n, 'recipient_email', 'person@example.com', 'subject', 'Your order', 'channel', 'email')
  from ${NUMBERS}`);

export const seedAgedDeliveries = statement<[...Rows, endpointId: string]>(`
  insert into webhook_deliveries (business_id, endpoint_id, event_id, state, attempts, created_at, settled_at, attempts_logged)
  select $1, $4, 'e' || lpad(n::text, 9, '0'), 'delivered', 1, ${AGED}, ${AGED}, 1 from ${NUMBERS}`);

export const seedAgedAttempts = statement<[...Rows, endpointId: string]>(`
  insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, status_code, duration_ms)
  select $1, $4, 'e' || lpad(n::text, 9, '0'), 1, ${AGED}, 200, 12 from ${NUMBERS}`);

export const seedEndpoint = statement<[businessId: string, endpointId: string]>(`
  insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
  values ($1, $2, 'https://example.com/hook', '', '', now())`);

export interface AgedTable {
  table: string;
  megabytes: number;
  dead_rows: number;
  vacuums: number;
}

export const agedTables = statement<[], AgedTable>(`
  select relname as table, (pg_total_relation_size(relid) / 1048576)::int as megabytes, n_dead_tup::int as dead_rows,
    (vacuum_count + autovacuum_count)::int as vacuums
  from pg_stat_user_tables
  where relname in ('idempotency_records', 'events', 'webhook_deliveries', 'webhook_attempts') order by 1`);

export const analyzeAll = statement<[]>('analyze');
