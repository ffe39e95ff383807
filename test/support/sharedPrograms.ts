import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a start as root copies the programs of Postgres if its user cannot enter the checkout. */
const SHARED_PLACE = '/var/lib/waypost';

const sharedPrograms = async (): Promise<string[]> =>
  (await readdir(SHARED_PLACE).catch(() => [])).filter((name) => name.startsWith('postgres-'));

/** Answers what removes the copies made since. For the end of a run: until then any test may use them. */
export async function noteSharedPrograms(): Promise<() => Promise<void>> {
  const before = await sharedPrograms();
  return async () => {
    for (const name of await sharedPrograms())
      if (!before.includes(name)) await rm(join(SHARED_PLACE, name), { recursive: true, force: true });
  };
}
