import { Client } from 'pg';
import type { BenchDatabase } from './environment.ts';
import { SAMPLE_PUSH } from './load/requests.ts';
import { seedAnswers, seedDelivered, seedMessages, seedQueued } from './seedSql.ts';

export interface Seed {
  messages: number;
  /** The state of their nudges. */
  nudges: 'delivered' | 'queued';
}

const ANSWER = JSON.stringify({ ...SAMPLE_PUSH, id: 'seeded', recipient_email: 'seeded@example.com' });

/**
 * Inserts a history in bulk, with all indexes in place: messages and sends on one connection, stored responses on another, to
 * use two cores.
 */
export async function seedHistory(
  database: BenchDatabase,
  { messages, nudges }: Seed,
  keepAnswers = true,
): Promise<void> {
  const range = [database.businessId, 0, messages, database.recipients] as const;
  await Promise.all([
    fill(database, 'messages, sends', async (client) => {
      await seedMessages(client, ...range, SAMPLE_PUSH.subject, SAMPLE_PUSH.body);
      await (nudges === 'queued' ? seedQueued : seedDelivered)(client, ...range);
    }),
    fill(database, 'idempotency_records', async (client) => {
      if (keepAnswers) await seedAnswers(client, ...range, ANSWER);
    }),
  ]);
}

/**
 * Fills empty tables. Truncating them in the same transaction lets Postgres skip the WAL, and the replica role skips the
 * checks of foreign keys, which hold by construction.
 */
async function fill(
  { administratorUrl }: BenchDatabase,
  tables: string,
  write: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: administratorUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    await client.query(`truncate ${tables} cascade`);
    await write(client);
    await client.query('commit');
    await client.query(`vacuum analyze ${tables}`);
    // Otherwise the checkpoint would run during the first round.
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** Adds messages with due nudges to tables in use. */
export async function addBacklog(database: BenchDatabase, first: number, count: number): Promise<void> {
  const range = [database.businessId, first, count, database.recipients] as const;
  await seedMessages(database.pool, ...range, SAMPLE_PUSH.subject, SAMPLE_PUSH.body);
  await seedQueued(database.pool, ...range);
}
