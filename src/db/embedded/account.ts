import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { OperatorError } from '../../kit/errors.ts';

/** The user that runs Postgres if we are root, which Postgres refuses to be. Null: our own user. */
export type Account = { readonly uid: number; readonly gid: number } | null;

const CANDIDATES = ['postgres', 'nobody'] as const;
const COMMAND_TIMEOUT_MS = 5_000;

/** The owner for new data. */
export function accountForNewData(): Account {
  if (process.geteuid?.() !== 0) return null;
  for (const name of CANDIDATES) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)];
    if (uid !== null && gid !== null && uid !== 0) return { uid, gid };
  }
  throw new OperatorError(
    `The embedded Postgres does not run as root, and this machine has no user ${CANDIDATES.join(' or ')} to run it as: start Waypost as an ordinary user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

/** The owner of existing data, who continues to run Postgres even if root starts Waypost later. */
export function accountOwning(path: string): Account {
  const { uid, gid } = statSync(path);
  const own = process.geteuid?.();
  if (uid === own && uid !== 0) return null;
  if (own === 0 && uid !== 0) return { uid: uid | 0, gid: gid | 0 };
  const remedy =
    uid === 0
      ? 'root, and Postgres does not run as root: give them to another user (chown -R)'
      : `another user (uid ${uid}): start Waypost as that user`;
  throw new OperatorError(`The data in ${path} belong to ${remedy}, or set another DATA_DIR.`);
}

/** Asks the kernel, because permission bits ignore ACLs, groups and mounts. */
export function canEnter(account: Account, folder: string): boolean {
  if (account === null) return true;
  const options = { ...account, cwd: '/', timeout: COMMAND_TIMEOUT_MS };
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], options).status === 0;
}

function idOf(kind: '-u' | '-g', name: string): number | null {
  const { status, stdout } = spawnSync('id', [kind, name], { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS });
  // "| 0": some systems print nobody's -2 as 4294967294, which spawn refuses.
  return status === 0 && /^-?\d+$/.test(stdout.trim()) ? Number(stdout) | 0 : null;
}
