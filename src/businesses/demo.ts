import { mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, messageOf, OperatorError } from '../kit/errors.ts';
import { lockNumber, randomText } from '../kit/ids.ts';
import { writeBusiness } from './create.ts';
import { findCallers, keyHash, mintKey } from './keys.ts';
import { lockKeys } from './keysSql.ts';
import { changeSettings } from './settingsChange.ts';
import { lastToChangeActive, lockDemo, readSettings } from './sql.ts';

/** A fixed id: the demo business is known again although it was renamed and its file was lost. */
export const DEMO_BUSINESS_ID = 'demobusiness';
const DEMO_NAME = 'Demo Shop';
const DEMO_CREDITS = 1_000;
const DEMO_KEY_NAME = 'Demo key';
const FILE = 'demo.json';
/** The audit's actor: a start may take back only what a start has done, never an operator's own choice. */
const START = 'start';

/** What a newcomer needs for a first push; the content of DATA_DIR/demo.json. */
export interface Demo {
  base_url: string;
  business_id: string;
  api_key: string;
}

/**
 * The demo business, made on the first start. Its key is stored nowhere but in the file, so a start that finds no
 * file, or a key that was revoked, mints another.
 */
export function ensureDemo(
  pool: Pool,
  clock: Clock,
  where: { dataDir: string; baseUrl: string },
): Promise<Demo> {
  const path = join(where.dataDir, FILE);
  return transaction(pool, async (tx) => {
    await lockDemo(tx, lockNumber('demo'));
    const now = clock.now();
    await writeBusiness(tx, now, DEMO_BUSINESS_ID, { name: DEMO_NAME, credits: DEMO_CREDITS });
    const [last] = await lastToChangeActive(tx, DEMO_BUSINESS_ID);
    if (last?.actor === START) await changeSettings(tx, now, DEMO_BUSINESS_ID, { active: true }, START);
    const kept = await readDemo(path);
    const apiKey =
      kept !== null && (await opensDemo(tx, kept.api_key)) ? kept.api_key : await newDemoKey(tx, now, path);
    const demo: Demo = { base_url: where.baseUrl, business_id: DEMO_BUSINESS_ID, api_key: apiKey };
    // Before the commit: a file that names a key which never came to be is mended by the next start, while the
    // other order could leave keys that nobody knows.
    if (JSON.stringify(kept) !== JSON.stringify(demo)) await writeDemo(where.dataDir, path, demo);
    return demo;
  });
}

/**
 * Closes the demo business where real messages can go out: its key lies in a file and on pages that strangers may have
 * seen. Answers whether there is a demo business. The next start with a sandbox of its own reopens it.
 */
export function deactivateDemo(pool: Pool, clock: Clock): Promise<boolean> {
  return transaction(pool, async (tx) => {
    await lockDemo(tx, lockNumber('demo'));
    const [demo] = await readSettings(tx, [DEMO_BUSINESS_ID]);
    if (demo?.active === true)
      await changeSettings(tx, clock.now(), DEMO_BUSINESS_ID, { active: false }, START);
    return demo !== undefined;
  });
}

async function opensDemo(tx: Client, key: string): Promise<boolean> {
  const [caller] = await findCallers(tx, [keyHash(key)]);
  return caller?.businessId === DEMO_BUSINESS_ID;
}

async function newDemoKey(tx: Client, now: Date, path: string): Promise<string> {
  await lockKeys(tx, DEMO_BUSINESS_ID);
  const request = { businessId: DEMO_BUSINESS_ID, mintedBy: null, name: DEMO_KEY_NAME, detach: false };
  try {
    return (await mintKey(tx, now, request)).key;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'key.limit_reached')) throw error;
    throw new OperatorError(
      `${path} names no key that works and the demo business may have no more: revoke one of its keys.`,
    );
  }
}

/** Null for a file that is missing, or is not ours to read anything from. */
async function readDemo(path: string): Promise<Demo | null> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof kept !== 'object' || kept === null) return null;
    const { base_url, business_id, api_key }: Partial<Record<keyof Demo, unknown>> = kept;
    if (typeof base_url !== 'string' || typeof business_id !== 'string' || typeof api_key !== 'string')
      return null;
    return { base_url, business_id, api_key };
  } catch {
    return null;
  }
}

/** Written aside and moved into place: a reader finds the old file or the new one, never half of one. */
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
