import { randomBytes } from 'node:crypto';
import { link, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../../kit/ids.ts';
import { isCode } from './files.ts';

/** One per role, each in a file beside the data that only its owner can read. */
export interface Passwords {
  readonly waypost: string;
  readonly administrator: string;
}

const WAYPOST_FILE = 'password';
export const ADMINISTRATOR_FILE = 'administrator.password';

const PASSWORD_BYTES = 24;
const newPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');

export const newPasswords = (): Passwords => ({ waypost: newPassword(), administrator: newPassword() });

export async function writePasswords(home: string, { waypost, administrator }: Passwords): Promise<void> {
  await writeNew(join(home, WAYPOST_FILE), waypost);
  await writeNew(join(home, ADMINISTRATOR_FILE), administrator);
}

/**
 * The passwords of a home. An older home has only Waypost's, which opens both roles: then this creates the
 * administrator's, and the next server to start sets it.
 */
export async function readPasswords(home: string): Promise<Passwords> {
  const waypost = await read(join(home, WAYPOST_FILE));
  const path = join(home, ADMINISTRATOR_FILE);
  try {
    return { waypost, administrator: await read(path) };
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
  await publish(home, path);
  return { waypost, administrator: await read(path) };
}

/** link never replaces a file: if several processes start at once, one creates the password and all read it. */
async function publish(home: string, path: string): Promise<void> {
  const draft = `${path}.${randomText(12)}`;
  // If root runs this for a home that another user owns, the file must belong to that user.
  const owner = await stat(join(home, WAYPOST_FILE));
  try {
    await writeNew(draft, newPassword(), owner);
    await link(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function writeNew(path: string, password: string, owner?: { uid: number; gid: number }): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${password}\n`);
    if (owner !== undefined && owner.uid !== process.geteuid?.()) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
}

const read = async (path: string): Promise<string> => (await readFile(path, 'utf8')).trim();
