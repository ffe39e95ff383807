import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OperatorError } from '../kit/errors.ts';
import { randomText } from '../kit/ids.ts';
import { at } from '../kit/json.ts';
import type { Config } from './config.ts';

const FILE = 'secret.key';
const GENERATED_LENGTH = 50;
const SHORTEST_KEY = 16;

/**
 * The keys that seal secrets at rest: those of SECRET_KEY, or a generated one that is kept in DATA_DIR, so that a
 * copy of the database alone does not contain it.
 */
export async function secretKeys(config: Pick<Config, 'secretKeys' | 'dataDir'>): Promise<string[]> {
  if (config.secretKeys.length > 0) return config.secretKeys;
  const path = join(config.dataDir, FILE);
  let kept = await readIfExists(path);
  if (kept === null) {
    await makeKey(config.dataDir, path);
    kept = await readIfExists(path);
  }
  if (kept === null || kept.length < SHORTEST_KEY)
    throw new OperatorError(
      `${path} holds no key: restore it or set SECRET_KEY. Sealed secrets open only with the key that sealed them.`,
    );
  return [kept];
}

/** link never replaces a file: if several processes start at once, one makes the key and all of them read it. */
async function makeKey(dataDir: string, path: string): Promise<void> {
  const draft = `${path}.${randomText(12)}`;
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(draft, `${randomText(GENERATED_LENGTH)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if (at(error, 'code') !== 'EEXIST')
      throw new OperatorError(
        `DATA_DIR must be writable for the generated secret key (${messageOf(error)}).`,
      );
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (at(error, 'code') === 'ENOENT') return null;
    throw new OperatorError(`${path} cannot be read (${messageOf(error)}).`);
  }
}
