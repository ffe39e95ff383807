import { accessSync, chmodSync, constants, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { type Account, accountForNewData, accountOwning, canEnter } from './account.ts';
import { isCode, isFileSystemError, unusable } from './files.ts';

/** Where the cluster is and which user runs it. */
export interface Location {
  /** DATA_DIR/postgres: the cluster's home, or a link to it. */
  readonly entry: string;
  /** The home if it exists. It is complete then, because it is created under another name and renamed. */
  readonly home: string | null;
  /** A folder that the database's user can enter; homes and copies of the programs are created in it. */
  readonly place: string;
  readonly account: Account;
}

/**
 * Where root keeps the data if the database's user cannot enter a folder above DATA_DIR (a checkout under /root,
 * say).
 */
const SHARED_PLACE = '/var/lib/waypost';

export function locate(dataDir: string): Location {
  const folder = resolve(dataDir);
  return explainingErrors(folder, () => {
    mkdirSync(folder, { recursive: true });
    const entry = join(realpathSync(folder), 'postgres');
    return existsAtAll(entry) ? existing(entry) : fresh(dirname(entry), entry);
  });
}

/** Whether a start has made data there. */
export const holdsData = (dataDir: string): boolean =>
  explainingErrors(resolve(dataDir), () => existsAtAll(join(resolve(dataDir), 'postgres')));

function existing(entry: string): Location {
  const home = followed(entry);
  const account = accountOwning(join(home, 'data'));
  if (!canEnter(account, join(home, 'data'))) {
    throw new OperatorError(
      `The embedded Postgres cannot run as root, and uid ${account?.uid}, who owns its data, cannot enter ${home}: open the folders above it (chmod o+x), or set another DATA_DIR.`,
    );
  }
  return { entry, home, place: dirname(home), account };
}

function fresh(folder: string, entry: string): Location {
  accessSync(folder, constants.W_OK | constants.X_OK);
  const account = accountForNewData();
  if (canEnter(account, folder) || openForPassage(account, folder))
    return { entry, home: null, place: folder, account };
  // The umask may have closed the new folder to the database's user.
  if (mkdirSync(SHARED_PLACE, { recursive: true }) !== undefined) chmodSync(SHARED_PLACE, 0o755);
  if (!canEnter(account, SHARED_PLACE)) {
    throw new OperatorError(
      `The embedded Postgres cannot run as root, and uid ${account?.uid} can enter neither ${folder} nor ${SHARED_PLACE}: set DATA_DIR to a folder that every user can enter.`,
    );
  }
  return { entry, home: null, place: SHARED_PLACE, account };
}

/**
 * If only DATA_DIR itself is closed, grants others the right to pass through, but not to list it: the data stay
 * where the operator wants them, perhaps on a mounted volume.
 */
function openForPassage(account: Account, folder: string): boolean {
  const { mode } = statSync(folder);
  chmodSync(folder, mode | 0o001);
  if (canEnter(account, folder)) return true;
  chmodSync(folder, mode);
  return false;
}

function followed(entry: string): string {
  try {
    return realpathSync(entry);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    throw new OperatorError(
      `${entry} is a link to data that no longer exist: restore them, or remove the link to start with an empty database.`,
    );
  }
}

function existsAtAll(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function explainingErrors<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isFileSystemError(error) ? unusable(folder, error) : error;
  }
}
