import { Client } from 'pg';
import type { BenchDatabase } from './environment.ts';
import { SAMPLE_PUSH } from './load/requests.ts';
import { seedAnswers, seedDelivered, seedMessages, seedQueued } from './seedSql.ts';

export interface Seed {
  messages: number;
  /** What became of their nudges: delivered long ago, or all still waiting. */
  nudges: 'delivered' | 'queued';
}

const ANSWER = JSON.stringify({ ...SAMPLE_PUSH, id: 'seeded', recipient_email: 'seeded@example.com' });

/**
 * A history, written as fast as the disk takes it and left as a real one lies there, with all its indexes: what was said and
 * sent on one connection, the answers on another, as there are two processors.
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
 * Fills empty tables. They are emptied once more in the same transaction, so that only they are written and not their log
 * as well, and references are not looked up one by one: those we make here are whole.
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
    // Else it would be written out while the first round is measured.
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** Adds messages whose nudges are due now to a table that is in use. */
export async function addBacklog(database: BenchDatabase, first: number, count: number): Promise<void> {
  const range = [database.businessId, first, count, database.recipients] as const;
  await seedMessages(database.pool, ...range, SAMPLE_PUSH.subject, SAMPLE_PUSH.body);
  await seedQueued(database.pool, ...range);
}
