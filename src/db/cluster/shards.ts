import { withClient } from '../client.ts';
import { closeSuspects, hasSuspects } from '../connectionWatchdog.ts';
import { SilentShard } from '../errors.ts';
import { directUrlOf, type Pool, type Shards, useAsCluster } from '../pool.ts';
import type { Queryable } from '../statement.ts';
import { describeCluster, FIND_SILENT_SHARDS, readDistribution, readShards } from './sql.ts';
import { FIRST_DISTRIBUTED } from './tables.ts';

/**
 * Whether the database is distributed; from then on the pool sends the statements for a cluster. It is recognised rather than
 * configured, so that it cannot be configured wrongly.
 */
export async function recogniseCluster(pool: Pool): Promise<boolean> {
  const found = await isDistributed(pool);
  if (found) useAsCluster(pool, await loadShards(pool));
  return found;
}

/** A database with the extension whose tables are not distributed is one Postgres. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const [cluster] = await describeCluster(db);
  if (cluster?.version == null) return false;
  return (await readDistribution(db)).some(({ table }) => table === FIRST_DISTRIBUTED.table);
}

/**
 * Reads which hashes each shard holds. A shard that moves to another worker keeps them. One that is split does not: groups then name
 * businesses of two shards, and are repeated push by push until the process is started again.
 */
async function loadShards(db: Queryable): Promise<Shards> {
  const firstHashes = (await readShards(db)).map(({ first_hash }) => first_hash);
  const of = (businessId: string): number => {
    const hash = hashOfText(businessId);
    return firstHashes.findLastIndex((first) => first <= hash);
  };
  const pools = new Set<Pool>();
  const shards: Shards = {
    count: firstHashes.length,
    silent: new Set(),
    areSuspect: false,
    of,
    watch: (pool) => {
      pools.add(pool);
      if (pools.size === 1) watchShards(pools, shards);
    },
  };
  return shards;
}

/*
 * A statement for a worker that hangs waits for its time limit, and then for longer: Citus cancels it on the worker first. A few shops
 * would so occupy the connections of all, and so would work for a worker that is down, which is tried again and again. When a statement
 * waits for long or fails, each worker is asked on a new connection; until it answers again, statements for its shards fail at once.
 */

const CHECK_EVERY_MS = 500;
/** Each takes a new connection to each worker. */
const CHECK_SILENT_EVERY_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_000;
const ANSWER_TIMEOUT_MS = 2 * CONNECT_TIMEOUT_MS;

function watchShards(pools: Set<Pool>, shards: Shards): void {
  const check = async (): Promise<void> => {
    for (const pool of pools) if (pool.ended) pools.delete(pool);
    const [url] = [...pools].flatMap((pool) => directUrlOf(pool) ?? []);
    if (url !== undefined && (shards.areSuspect || shards.silent.size > 0 || [...pools].some(hasSuspects))) {
      shards.areSuspect = false;
      const silent = await findSilentShards(url).catch(() => null);
      if (silent !== null) shards.silent = silent;
      // Nothing says which of them wait for those shards.
      if (shards.silent.size > 0) for (const pool of pools) closeSuspects(pool, new SilentShard());
    }
    if (pools.size > 0)
      setTimeout(check, shards.silent.size > 0 ? CHECK_SILENT_EVERY_MS : CHECK_EVERY_MS).unref();
  };
  setTimeout(check, CHECK_EVERY_MS).unref();
}

function findSilentShards(url: string): Promise<ReadonlySet<number>> {
  const config = {
    connectionString: url,
    application_name: 'waypost probe',
    options: `-c citus.node_connection_timeout=${CONNECT_TIMEOUT_MS}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  };
  return withClient(config, async (client) => {
    const { rows } = await client.query<{ number: number }>(FIND_SILENT_SHARDS);
    return new Set(rows.map(({ number }) => number));
  });
}

/** A hash of Postgres. Bytes are taken twelve at a time, as three numbers that are mixed with each other. */
const SEED = 0x9e3779b9 + 3_923_095;
const BLOCK = 12;

/** `hashtext` of Postgres, by which Citus chooses the shard of a text. */
export function hashOfText(text: string): number {
  const bytes = Buffer.from(text);
  const start = (SEED + bytes.length) | 0;
  let [a, b, c] = [start, start, start];
  let at = 0;
  for (; bytes.length - at >= BLOCK; at += BLOCK)
    [a, b, c] = mixed(
      a + bytes.readInt32LE(at),
      b + bytes.readInt32LE(at + 4),
      c + bytes.readInt32LE(at + 8),
    );
  const rest = Buffer.alloc(BLOCK);
  // The last number begins with the length, which is in there already.
  for (const [place, byte] of bytes.subarray(at).entries()) rest[place < 8 ? place : place + 1] = byte;
  return finished(a + rest.readInt32LE(0), b + rest.readInt32LE(4), c + rest.readInt32LE(8));
}

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** Each round changes the first number by the third, and the third by the second; then they change places. */
const mixed = (...numbers: Numbers): Numbers =>
  [4, 6, 8, 16, 19, 4].reduce<Numbers>(
    ([a, b, c], bits) => [b, (c + b) | 0, (a - c) ^ rotated(c, bits)],
    numbers,
  );

/** Each round changes the third number by the second. */
function finished(...numbers: Numbers): number {
  const rounds = [14, 11, 25, 16, 4, 14, 24];
  return rounds.reduce<Numbers>(([a, b, c], bits) => [b, ((c ^ b) - rotated(b, bits)) | 0, a], numbers)[1];
}

type Numbers = [number, number, number];
