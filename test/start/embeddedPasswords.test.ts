import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../support/program.ts';
import { type Holder, postmasterOf, query, startHolder, stopHolders } from './embeddedProcess.ts';

/** One for all tests: each leaves two passwords, except the last. */
let dataDir: string;
beforeAll(async () => {
  await buildProgram();
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

describe('data from before, where both roles shared a password', () => {
  /** Puts the data back to what an earlier version made; answers once the server that did it is gone, or killed. */
  async function earlier(how: 'stop' | 'kill'): Promise<void> {
    const first = await startHolder('start', dataDir);
    const { waypost, administrator } = await passwords();
    await query(as(first, 'postgres', administrator), `ALTER ROLE postgres PASSWORD '${waypost}'`);
    await rm(join(home(), 'administrator.password'));
    await first[how]();
  }

  test.each(['stop', 'kill'] as const)('the next start parts them, after a %s', async (how) => {
    await earlier(how);
    const second = await startHolder('start', dataDir);
    expect(second.problem).toBeNull();
    expect(await waysIn(second)).toEqual(SEPARATE);
    const kept = await stat(join(home(), 'administrator.password'));
    expect(kept.mode & 0o777).toBe(0o600);
    expect(kept.uid).toBe((await stat(join(home(), 'password'))).uid);
    expect((await readdir(home())).sort()).toEqual(['administrator.password', 'data', 'log', 'password']);
    const before = await passwords();
    await second.kill();
    process.kill(postmasterOf(dataDir) ?? 0, 'SIGKILL');
    const third = await startHolder('start', dataDir);
    expect(await waysIn(third)).toEqual(SEPARATE);
    expect(await passwords()).toEqual(before);
  });

  test('a start that was killed between drawing a password and setting it is made good by the next', async () => {
    await earlier('kill');
    await writeFile(join(home(), 'administrator.password'), `${'drawn-and-not-set-'.repeat(2)}\n`, {
      mode: 0o600,
    });
    const next = await startHolder('start', dataDir);
    expect(next.problem).toBeNull();
    expect(await waysIn(next)).toEqual(SEPARATE);
  });

  test('commands alone work and change nothing; beside a server they work, too', async () => {
    await earlier('stop');
    const [one, other] = await Promise.all([startHolder('join', dataDir), startHolder('join', dataDir)]);
    expect([one.problem, other.problem]).toEqual([null, null]);
    expect(await whoIs(as(one, 'postgres', await fileOf('password')))).toBe('postgres');
    const server = await startHolder('start', dataDir);
    expect(await waysIn(server)).toEqual(SEPARATE);
    const late = await startHolder('join', dataDir);
    expect(await query(late.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await Promise.all([one.stop(), other.stop(), late.stop()]);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

test('an administrator’s password that was lost is one sentence', async () => {
  await (await startHolder('start', dataDir)).stop();
  await rm(join(home(), 'administrator.password'));
  const { problem } = await startHolder('start', dataDir);
  expect(problem).toMatch(
    /^The embedded Postgres refuses the password in \S+administrator\.password: restore that file\.$/,
  );
});
