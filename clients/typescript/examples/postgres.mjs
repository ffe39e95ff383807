import { processOnce } from '@waypost/client';

/*
 * Once for all processes, and in one transaction with what `handle` writes: a failure leaves neither. First, once:
 * create table waypost_events (id text primary key, at timestamptz not null default now());
 */
export async function processInTransaction(pool, event, handle) {
  const client = await pool.connect();
  const claim = async (id) => {
    const insert = 'insert into waypost_events (id) values ($1) on conflict do nothing';
    return (await client.query(insert, [id])).rowCount === 1;
  };
  try {
    await client.query('begin');
    const isFirst = await processOnce({ claim }, event, () => handle(event, client));
    await client.query('commit');
    return isFirst;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
