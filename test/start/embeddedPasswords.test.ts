import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildHolder, type Holder, query, startHolder, stopHolders } from './embeddedProcess.ts';

/** One for all tests. */
let dataDir: string;
beforeAll(async () => {
  await buildHolder();
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-passwords-'));
  await chmod(dataDir, 0o755); // as root the database runs as another user, who must reach it
});
afterEach(stopHolders);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const home = () => join(dataDir, 'postgres');
const fileOf = (name: string) => readFile(join(home(), name), 'utf8').then((text) => text.trim());
const passwords = async () => ({
  waypost: await fileOf('password'),
  administrator: await fileOf('administrator.password'),
});

/** The same server, for another role with this password. */
const as = ({ url }: Holder, role: string, password: string): string =>
  url.replace(
    /^postgresql:\/\/[^@]*@\/[^?]*/,
    `postgresql://${role}:${encodeURIComponent(password)}@/postgres`,
  );
const whoIs = (url: string) =>
  query(url, 'SELECT current_user::text AS role').then(
    ([row]) => Object(row).role,
    (error) => error.code,
  );
const WRONG_PASSWORD = '28P01';

/** Who gets in with which of the two passwords. */
async function waysIn(running: Holder) {
  const { waypost, administrator } = await passwords();
  return {
    own: [await whoIs(as(running, 'waypost', waypost)), await whoIs(as(running, 'postgres', administrator))],
    other: [
      await whoIs(as(running, 'waypost', administrator)),
      await whoIs(as(running, 'postgres', waypost)),
    ],
    guessed: [
      await whoIs(as(running, 'waypost', 'waypost')),
      await whoIs(as(running, 'postgres', 'postgres')),
    ],
  };
}
const SEPARATE = {
  own: ['waypost', 'postgres'],
  other: [WRONG_PASSWORD, WRONG_PASSWORD],
  guessed: [WRONG_PASSWORD, WRONG_PASSWORD],
};

test('each role of the embedded database has a password of its own, and Waypost’s does not open the administrator’s', async () => {
  const server = await startHolder('start', dataDir);
  expect(await waysIn(server)).toEqual(SEPARATE);
  const { waypost, administrator } = await passwords();
  expect(waypost).not.toBe(administrator);
  for (const password of [waypost, administrator]) expect(password).toMatch(/^[\w-]{32}$/);
});

test('an administrator’s password that was lost or changed is one sentence', async () => {
  await (await startHolder('start', dataDir)).stop();
  const file = join(home(), 'administrator.password');
  const kept = await readFile(file, 'utf8');
  await writeFile(file, 'another\n');
  const changed = await startHolder('start', dataDir);
  expect(changed.problem).toBe(`The embedded Postgres refuses the password in ${file}: restore that file.`);
  await rm(file);
  const lost = await startHolder('start', dataDir);
  expect(lost.problem).toMatch(
    /^Waypost cannot keep its data in .*administrator\.password'; put that right, or .*\.$/,
  );
  await writeFile(file, kept, { mode: 0o600 });
  expect((await startHolder('start', dataDir)).problem).toBeNull();
});
