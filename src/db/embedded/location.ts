import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { type Account, accountForNewData, accountOwning, canEnter } from './account.ts';
import { shippedPackage } from './binaries.ts';
import { explainFileError, isCode } from './files.ts';

/** Where the data are, or will be, and which user runs Postgres on them. */
export interface Location {
  /** DATA_DIR/postgres: the home of the data, or a link to it. */
  readonly entry: string;
  /** The home if it exists. It is complete then, because it is created under another name and renamed. */
  readonly home: string | null;
  /** A folder that the database's user can enter; homes and copies of the programs are created in it. */
  readonly place: string;
  readonly account: Account;
}

/** Where root keeps the data if the database's user cannot enter a folder above DATA_DIR (a checkout under /root, say). */
const SHARED_PLACE = '/var/lib/waypost';

export function locate(dataDir: string): Location {
  mkdirSync(dataDir, { recursive: true });
  const folder = realpathSync(dataDir);
  const entry = join(folder, 'postgres');
  if (existsAtAll(entry)) return existing(entry);
  const account = accountForNewData();
  return { entry, home: null, place: placeFor(account, folder), account };
}

/** Whether a start has made a database in `dataDir`. Throws if none has and none could, which is the mistake then. */
export function hasEmbedded(dataDir: string): boolean {
  try {
    if (existsAtAll(join(dataDir, 'postgres'))) return true;
  } catch (error) {
    throw explainFileError(resolve(dataDir), error);
  }
  shippedPackage();
  return false;
}

/** Also if it is a link that leads nowhere. */
const existsAtAll = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function existing(entry: string): Location {
  const home = followed(entry);
  const account = accountOwning(join(home, 'data'));
  if (canEnter(account, join(home, 'data'))) return { entry, home, place: dirname(home), account };
  throw new OperatorError(
    `The embedded Postgres cannot run as root, and uid ${account?.uid}, who owns its data, cannot enter ${home}: open the folders above it (chmod o+x), or set another DATA_DIR.`,
  );
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

/**
 * If only DATA_DIR itself is closed, others get the right to pass through it, but not to list it: the data stay where the operator
 * wants them, perhaps on a mounted volume.
 */
function placeFor(account: Account, folder: string): string {
  if (canEnter(account, folder)) return folder;
  const { mode } = statSync(folder);
  chmodSync(folder, mode | 0o001);
  if (canEnter(account, folder)) return folder;
  chmodSync(folder, mode);
  // The umask may have closed a new folder to the database's user.
  if (mkdirSync(SHARED_PLACE, { recursive: true }) !== undefined) chmodSync(SHARED_PLACE, 0o755);
  return SHARED_PLACE;
}
