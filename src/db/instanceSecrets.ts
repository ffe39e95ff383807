import { randomBytes } from 'node:crypto';
import type { Sealer } from '../kit/seal.ts';
import { findSecret, keepSecret } from './sql.ts';
import type { Queryable } from './statement.ts';

const PEPPER = 'pepper';
const PEPPER_BYTES = 32;
const CONTEXT = `instance_secret:${PEPPER}`;

/**
 * The pepper of the keyed hashes for stops and suppressions. It is created once per installation: every node must
 * compute the same hash, even if several nodes start on a new database at once.
 */
export async function loadPepper(db: Queryable, sealer: Sealer): Promise<Buffer> {
  let [kept] = await findSecret(db, PEPPER);
  if (!kept) {
    await keepSecret(db, PEPPER, sealer.seal(randomBytes(PEPPER_BYTES).toString('base64'), CONTEXT));
    [kept] = await findSecret(db, PEPPER);
  }
  if (!kept) throw new Error('the pepper was written but not found');
  return Buffer.from(sealer.open(kept.sealed, CONTEXT), 'base64');
}

/** Whether these keys open what this database has sealed; one that has nothing sealed yet takes any key. */
export async function opensPepper(db: Queryable, sealer: Sealer): Promise<boolean> {
  const [kept] = await findSecret(db, PEPPER);
  try {
    if (kept) sealer.open(kept.sealed, CONTEXT);
    return true;
  } catch {
    return false;
  }
}
