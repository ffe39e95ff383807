import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, messageOf, OperatorError } from '../kit/errors.ts';
import { lockNumber, randomText } from '../kit/ids.ts';
import { at, parseJsonText } from '../kit/json.ts';
import { writeBusiness } from './create.ts';
import { findCallers, keyHash, mintKey } from './keys.ts';
import { lockKeys } from './keysSql.ts';
import { changeSettings } from './settingsChange.ts';
import { lastToChangeActive, lockDemo, readSettings } from './sql.ts';

/** A fixed id, so that a start finds the demo business after it was renamed or its file was deleted. */
export const DEMO_BUSINESS_ID = 'demobusiness';
const FILE = 'demo.json';
/** The audit's actor: a start may undo only a start's change, never an operator's. */
const START = 'start';

/** The content of DATA_DIR/demo.json: all that a first push needs. */
export interface Demo {
  base_url: string;
  business_id: string;
  api_key: string;
}

/** Created on the first start. Only the file has its key, so a start that finds no file, or a revoked key, mints another. */
export function ensureDemo(pool: Pool, clock: Clock, where: { dataDir: string; baseUrl: string }) {
  const path = join(where.dataDir, FILE);
  return transaction(pool, async (tx) => {
    await lockDemo(tx, lockNumber('demo'));
    const now = clock.now();
    await writeBusiness(tx, now, DEMO_BUSINESS_ID, { name: 'Demo Shop', credits: 1_000 });
    const [last] = await lastToChangeActive(tx, DEMO_BUSINESS_ID);
    if (last?.actor === START) await changeSettings(tx, now, DEMO_BUSINESS_ID, { active: true }, START);
    const kept = await readDemo(path);
    const apiKey =
      kept !== null && (await opensDemo(tx, kept.api_key)) ? kept.api_key : await newDemoKey(tx, now, path);
    const demo: Demo = { base_url: where.baseUrl, business_id: DEMO_BUSINESS_ID, api_key: apiKey };
    // Before the commit: if the commit fails, the next start replaces the file's unusable key. The other order could
    // leave active keys that nobody has.
    if (JSON.stringify(kept) !== JSON.stringify(demo)) await writeDemo(where.dataDir, path, demo);
    return demo;
  });
}

/**
 * Deactivates the demo business where real messages can go out: strangers may have seen its key in the file or on a page.
 * Returns whether there is a demo business. The next start in the sandbox activates it again.
 */
export const deactivateDemo = (pool: Pool, clock: Clock): Promise<boolean> =>
  transaction(pool, async (tx) => {
    await lockDemo(tx, lockNumber('demo'));
    const [demo] = await readSettings(tx, [DEMO_BUSINESS_ID]);
    if (demo?.active === true)
      await changeSettings(tx, clock.now(), DEMO_BUSINESS_ID, { active: false }, START);
    return demo !== undefined;
  });

async function opensDemo(tx: Client, key: string): Promise<boolean> {
  const [caller] = await findCallers(tx, [keyHash(key)]);
  return caller?.businessId === DEMO_BUSINESS_ID;
}

async function newDemoKey(tx: Client, now: Date, path: string): Promise<string> {
  await lockKeys(tx, DEMO_BUSINESS_ID);
  const request = { businessId: DEMO_BUSINESS_ID, mintedBy: null, name: 'Demo key', detach: false };
  try {
    return (await mintKey(tx, now, request)).key;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'key.limit_reached')) throw error;
    throw new OperatorError(
      `${path} names no key that works and the demo business may have no more: revoke one of its keys.`,
    );
  }
}

/** Null for a file that is missing or malformed. */
async function readDemo(path: string): Promise<Demo | null> {
  const kept = parseJsonText(await readFile(path, 'utf8').catch(() => ''));
  const base_url = at(kept, 'base_url');
  const business_id = at(kept, 'business_id');
  const api_key = at(kept, 'api_key');
  if (typeof base_url !== 'string' || typeof business_id !== 'string' || typeof api_key !== 'string')
    return null;
  return { base_url, business_id, api_key };
}

/** Renamed into place, so that a reader never finds a partial file. */
async function writeDemo(dataDir: string, path: string, demo: Demo): Promise<void> {
  const draft = `${path}.${randomText(12)}`;
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw new OperatorError(`DATA_DIR must be writable, to keep ${FILE} in (${messageOf(error)}).`);
  }
}
