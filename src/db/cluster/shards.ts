import type { Shards } from '../pool.ts';
import type { Queryable } from '../statement.ts';
import { watchShards } from './silentShards.ts';
import { readShards } from './sql.ts';

/**
 * Reads which hashes each shard holds. A shard that moves to another worker keeps them. One that is split does not: groups then name
 * businesses of two shards, and are repeated push by push until the process is started again.
 */
export async function loadShards(db: Queryable): Promise<Shards> {
  const firstHashes = (await readShards(db)).map(({ first_hash }) => first_hash);
  const of = (businessId: string): number => {
    const hash = hashOfText(businessId);
    return firstHashes.findLastIndex((first) => first <= hash);
  };
  const shards: Shards = {
    count: firstHashes.length,
    silent: new Set(),
    of,
    watch: (pool) => watchShards(pool, shards),
  };
  return shards;
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
