import type { Client } from 'pg';
import { withClient } from '../src/db/client.ts';
import { statement } from '../src/db/statement.ts';
import type { BenchDatabase } from './environment.ts';
import { SAMPLE_PUSH } from './load/requests.ts';

/** Recipients with the addresses that the load generator uses. */
export const seedRecipients = statement<[businessId: string, count: number]>(`
  insert into recipients (business_id, id, email, created_at)
  select $1, 'r' || n, 'person' || n || '@example.com', now() from generate_series(0, $2::int - 1) n`);

/** Numbers from `first` on, each with the id of its message. Ids sort by number, as real ids sort by time. */
const NUMBERED = `
  select n, 'k' || lpad(n::text, 9, '0') || left(md5(n::text), 14) as id, 'r' || (n::bigint * 7919 % $4::int) as recipient_id
  from generate_series($2::int, $2::int + $3::int - 1) n`;

type Numbered = [businessId: string, first: number, count: number, recipients: number];

/** Messages as pushes write them, each about an order of its own. The order by number appends to the right edge of the index, as real pushes do. */
const seedMessages = statement<[...Numbered, subject: string, body: string]>(`
  insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, created_at, updated_at)
  select $1, id, recipient_id, replace($5, '10001', (10000 + n)::text), $6, 'one_off', 'active', '#' || n, 'shipped', now() - interval '1 day', now() - interval '1 day'
  from (${NUMBERED}) m order by n`);

/** Their nudges, all delivered. */
const seedDelivered = statement<Numbered>(`
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, attempts, created_at, submitted_at,
    last_status_at, delivered_at)
  select $1, id, id, recipient_id, 'email', 'nudge', 'delivered', 1, now() - interval '1 day', now() - interval '1 day',
    now() - interval '1 day', now() - interval '1 day'
  from (${NUMBERED}) m order by n`);

/** Their nudges, all queued and due. */
const seedQueued = statement<Numbered>(`
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
  select $1, id, id, recipient_id, 'email', 'nudge', 'queued', now() - interval '1 second', now()
  from (${NUMBERED}) m order by n`);

/** The stored responses to their pushes. */
const seedAnswers = statement<[...Numbered, response: string]>(`
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select $1, 'push', 'seed-' || id, sha256(id::bytea), 201, $5, recipient_id, now(), now() + interval '1 day'
  from (${NUMBERED}) m order by n`);

/** Their orders, as the worker leaves them. */
const seedOrders = statement<Numbered>(`
  with made as (
    insert into orders (business_id, reference, status, status_at, change_id, updated_at)
    select $1, '#' || n, 'shipped', now() - interval '1 day', id, now() - interval '1 day' from (${NUMBERED}) m order by n)
  insert into order_recipients (business_id, reference, email, named_id)
  select $1, '#' || n, 'person' || substr(recipient_id, 2) || '@example.com', id from (${NUMBERED}) m order by n`);

/** One order in five is tracked, by three events. */
const seedShipments = statement<Numbered>(`
  with made as (
    insert into shipments (business_id, reference, tracking_number, id, carrier, status, status_at, updated_at)
    select $1, '#' || n, 'CC' || n, id, 'Omniva', 'in_transit', now(), now() from (${NUMBERED}) m where n % 5 = 0 order by n)
  insert into tracking_events (business_id, reference, tracking_number, status, at, id, received_at)
  select $1, '#' || n, 'CC' || n, status, now() - hours * interval '1 hour', id || hours, now()
  from (${NUMBERED}) m
  cross join (values ('label_created', 3), ('picked_up', 2), ('in_transit', 1)) way (status, hours) where n % 5 = 0 order by n`);

const ANSWER = JSON.stringify({ ...SAMPLE_PUSH, id: 'seeded', recipient_email: 'seeded@example.com' });

/**
 * Inserts a history in bulk, with all indexes in place: messages and sends on one connection, and stored responses of what is
 * delivered on another, to use two cores.
 */
export async function seedHistory(
  database: BenchDatabase,
  messages: number,
  nudges: 'delivered' | 'queued',
): Promise<void> {
  const range: Numbered = [database.businessId, 0, messages, database.recipients];
  await Promise.all([
    fill(database, 'messages, sends', async (client) => {
      await seedMessages(client, ...range, SAMPLE_PUSH.subject, SAMPLE_PUSH.body);
      await (nudges === 'queued' ? seedQueued : seedDelivered)(client, ...range);
    }),
    nudges === 'delivered' &&
      fill(database, 'orders, order_recipients, shipments, tracking_events', async (client) => {
        await seedOrders(client, ...range);
        await seedShipments(client, ...range);
      }),
    nudges === 'delivered' &&
      fill(database, 'idempotency_records', (client) => seedAnswers(client, ...range, ANSWER)),
  ]);
}

/**
 * Fills empty tables. Truncating them in the same transaction lets Postgres skip the WAL, and the replica role skips the
 * checks of foreign keys, which hold by construction.
 */
const fill = (
  { administratorUrl }: BenchDatabase,
  tables: string,
  write: (client: Client) => Promise<unknown>,
): Promise<void> =>
  withClient({ connectionString: administratorUrl }, async (client) => {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(`truncate ${tables} cascade`);
    await write(client);
    await client.query('commit');
    await client.query(`vacuum analyze ${tables}`);
    // Otherwise the checkpoint would run during the first round.
    await client.query('checkpoint');
  });

/** Adds messages with due nudges to tables in use. */
export async function addBacklog(database: BenchDatabase, first: number, count: number): Promise<void> {
  const range: Numbered = [database.businessId, first, count, database.recipients];
  await seedMessages(database.pool, ...range, SAMPLE_PUSH.subject, SAMPLE_PUSH.body);
  await seedQueued(database.pool, ...range);
}
