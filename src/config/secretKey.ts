import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OperatorError } from '../kit/errors.ts';
import { randomText } from '../kit/ids.ts';
import type { Config } from './config.ts';

const FILE = 'secret.key';
const GENERATED_LENGTH = 50;
const SHORTEST_KEY = 16;

/**
 * The keys that seal secrets at rest: those of SECRET_KEY, or one of our own that is made once and kept in DATA_DIR,
 * where whoever has the database alone does not find it.
 */
export async function secretKeys(config: Pick<Config, 'secretKeys' | 'dataDir'>): Promise<string[]> {
  if (config.secretKeys.length > 0) return config.secretKeys;
  const path = join(config.dataDir, FILE);
  let kept = await readIfThere(path);
  if (kept === null) {
    await makeKey(config.dataDir, path);
    kept = await readIfThere(path);
  }
  if (kept === null || kept.length < SHORTEST_KEY) {
    throw new OperatorError(
      `${path} holds no key: restore it or set SECRET_KEY, since what was sealed opens with no other.`,
    );
  }
  return [kept];
}

/** A link never replaces a file: of several processes that start at once one makes the key, and all of them read it. */
async function makeKey(dataDir: string, path: string): Promise<void> {
  const draft = `${path}.${randomText(12)}`;
  try {
    await mkdir(dataDir, { recursive: true });
    await writeFile(draft, `${randomText(GENERATED_LENGTH)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw new OperatorError(
        `DATA_DIR must be writable, to keep the generated secret key in (${messageOf(error)}).`,
      );
    }
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new OperatorError(`${path} cannot be read (${messageOf(error)}).`);
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);
