import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { OperatorError } from '../../kit/errors.ts';

/** The user that runs Postgres if we are root, which Postgres refuses to be. Null: our own user. */
export type Account = { readonly uid: number; readonly gid: number } | null;

const CANDIDATES = ['postgres', 'nobody'] as const;
const COMMAND_TIMEOUT_MS = 5_000;

const isRoot = (): boolean => process.geteuid?.() === 0;

/** The owner for new data. */
export function accountForNewData(): Account {
  if (!isRoot()) return null;
  for (const name of CANDIDATES) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== null && gid !== null && uid !== 0) return { uid, gid };
  }
  throw new OperatorError(
    `The embedded Postgres does not run as root, and this machine has no user ${CANDIDATES.join(' or ')} to run it as: start Waypost as an ordinary user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

/** The owner of existing data, who continues to run Postgres even if root starts Waypost later. */
export function accountOwning(path: string): Account {
  const { uid, gid } = statSync(path);
  if (uid === process.geteuid?.() && uid !== 0) return null;
  if (uid === 0) {
    throw new OperatorError(
      `The data in ${path} belong to root, and Postgres does not run as root: give them to another user (chown -R), or set another DATA_DIR.`,
    );
  }
  if (!isRoot()) {
    throw new OperatorError(
      `The data in ${path} belong to another user (uid ${uid}): start Waypost as that user, or set another DATA_DIR.`,
    );
  }
  return { uid: uid | 0, gid: gid | 0 };
}

/** Asks the kernel, because permission bits ignore ACLs, groups and mounts. */
export function canEnter(account: Account, folder: string): boolean {
  if (account === null) return true;
  const answer = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
    timeout: COMMAND_TIMEOUT_MS,
  });
  return answer.status === 0;
}

function idOf(kind: '-u' | '-g', name: string): number | null {
  const answer = spawnSync('id', [kind, name], { encoding: 'utf8', timeout: COMMAND_TIMEOUT_MS });
  const text = answer.status === 0 ? answer.stdout.trim() : '';
  // "| 0": some systems print nobody's -2 as 4294967294, which spawn refuses.
  return /^-?\d+$/.test(text) ? Number(text) | 0 : null;
}
