import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  buildHolder,
  isRunning,
  launchHolder,
  postmasterOf,
  query,
  startHolder,
  stopHolders,
  until,
} from './embeddedProcess.ts';

const run = promisify(execFile);

let folder: string;
let dataDir: string;

beforeAll(async () => {
  await buildHolder();
  folder = await mkdtemp(join(tmpdir(), 'waypost-embedded-'));
  await chmod(folder, 0o755); // as root the database runs as another user, who must reach it
  dataDir = join(folder, `it's "my", $HOME õ data`);
  const first = await startHolder('start', dataDir);
  await query(first.url, 'CREATE TABLE kept (word text)');
  await first.stop();
});
afterEach(stopHolders);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A DATA_DIR of its own, with a copy of the data. */
async function copyData(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await run('cp', ['-R', '-p', join(dataDir, 'postgres'), to]);
}
const socketFolderOf = (url: string): string => new URLSearchParams(url.split('?')[1]).get('host') ?? '';

test('a stopped server leaves no Postgres behind, and the next start finds the data', async () => {
  const first = await startHolder('start', dataDir);
  await query(first.url, `INSERT INTO kept VALUES ('stopped')`);
  const postgres = postmasterOf(dataDir);
  expect(isRunning(postgres)).toBe(true);
  await first.stop();
  expect(isRunning(postgres)).toBe(false);

  const second = await startHolder('start', dataDir);
  expect(await query(second.url, `SELECT 1 AS found FROM kept WHERE word = 'stopped'`)).toEqual([
    { found: 1 },
  ]);
});

test('after a kill -9 the next start takes over the Postgres that was left, and stops it in the end', async () => {
  const first = await startHolder('start', dataDir);
  await query(first.url, `INSERT INTO kept VALUES ('killed')`);
  const postgres = postmasterOf(dataDir);
  await first.kill();
  expect(isRunning(postgres)).toBe(true);

  const second = await startHolder('start', dataDir);
  expect(second.problem).toBeNull();
  expect(postmasterOf(dataDir)).toBe(postgres);
  expect(await query(second.url, `SELECT 1 AS found FROM kept WHERE word = 'killed'`)).toEqual([
    { found: 1 },
  ]);
  await second.stop();
  expect(isRunning(postgres)).toBe(false);
});

test('after a kill -9 of everything the next start recovers', async () => {
  const first = await startHolder('start', dataDir);
  await query(first.url, `INSERT INTO kept VALUES ('crashed')`);
  await first.kill();
  process.kill(postmasterOf(dataDir) ?? 0, 'SIGKILL');

  const second = await startHolder('start', dataDir);
  expect(second.problem).toBeNull();
  expect(await query(second.url, `SELECT 1 AS found FROM kept WHERE word = 'crashed'`)).toEqual([
    { found: 1 },
  ]);
});

test('a crash of Postgres is mended while the server runs, at the same address', async () => {
  const server = await startHolder('start', dataDir);
  process.kill(postmasterOf(dataDir) ?? 0, 'SIGKILL');
  await until(() => query(server.url, 'SELECT 1').then(Boolean, () => false));

  const postgres = postmasterOf(dataDir);
  await server.stop();
  expect(isRunning(postgres)).toBe(false);
});

test('a process that came to bear a dead Postgres’s number does not prevent a start', async () => {
  const { uid, gid } = await stat(join(dataDir, 'postgres', 'data'));
  const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  await writeFile(file, `${stranger.pid}\n${dataDir}\n1700000000\n5432\n${dataDir}\n\n  1  1\nready\n`);

  const server = await startHolder('start', dataDir);
  expect(server.problem).toBeNull();
  expect(postmasterOf(dataDir)).not.toBe(stranger.pid);
  expect(isRunning(stranger.pid ?? null)).toBe(true);
  stranger.kill();
});

test('a second server on the same data is told so, and the first goes on', async () => {
  const first = await startHolder('start', dataDir);
  const second = await startHolder('start', dataDir);
  expect(second.problem).toBe(
    `Waypost is already running on these data (DATA_DIR ${dataDir}): stop it first, or set another DATA_DIR and PORT.`,
  );
  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a command works beside the server and leaves it running', async () => {
  const server = await startHolder('start', dataDir);
  const command = await startHolder('join', dataDir);
  expect(await query(command.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await command.stop();
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('commands alone share a Postgres, and the last one stops it', async () => {
  const [first, second] = await Promise.all([startHolder('join', dataDir), startHolder('join', dataDir)]);
  const postgres = postmasterOf(dataDir);
  await first.stop();
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await second.stop();
  expect(isRunning(postgres)).toBe(false);
});

test('a server can start while a command works, and outlives it', async () => {
  const command = await startHolder('join', dataDir);
  const server = await startHolder('start', dataDir);
  expect(server.problem).toBeNull();
  await command.stop();
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a first start that is killed half-way does not spoil the next, nor leaves anything', async () => {
  const fresh = join(folder, 'interrupted');
  const first = launchHolder('start', fresh);
  const made = async (): Promise<string[]> => readdir(fresh).catch(() => []);
  await until(async () => (await made()).length > 0);
  process.kill(-(first.pid ?? 0), 'SIGKILL');
  await once(first, 'exit');
  expect(await made()).not.toContain('postgres');

  const second = await startHolder('start', fresh);
  expect(second.problem).toBeNull();
  expect(await made()).toEqual(['postgres']);
});

test('two first starts at once make one database', async () => {
  const fresh = join(folder, 'raced');
  const both = await Promise.all([startHolder('start', fresh), startHolder('start', fresh)]);
  const served = both.filter(({ problem }) => problem === null);
  expect(served).toHaveLength(1);
  expect(await readdir(fresh)).toEqual(['postgres']);
});

test('data of another version of Postgres are left alone, and the start says what is wrong with them', async () => {
  const other = join(folder, 'other version');
  const version = join(other, 'postgres', 'data', 'PG_VERSION');
  await copyData(other);
  await writeFile(version, '17\n');
  const { problem } = await startHolder('start', other);
  expect(problem).toMatch(
    /^The embedded Postgres did not start: .*FATAL: {2}database files are incompatible with server \(more in \S.*\)\.$/,
  );
  await writeFile(version, '18\n');
  const { url } = await startHolder('start', other);
  expect(await query(url, 'SELECT count(*) >= 0 AS kept FROM kept')).toEqual([{ kept: true }]);
});

test('a path too long for a socket is no obstacle', async () => {
  const deep = join(folder, 'a'.repeat(60), 'b'.repeat(60));
  await copyData(deep);
  const first = await startHolder('start', deep);
  expect(await query(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await first.kill();
  const second = await startHolder('start', deep);
  expect(second.url).toBe(first.url);
  const socketFolder = socketFolderOf(second.url);
  expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
  await second.stop();
  await expect(stat(socketFolder)).rejects.toThrow('ENOENT');
});

test('a Postgres that was left and whose socket a cleanup removed is replaced', async () => {
  const deep = join(folder, 'c'.repeat(60), 'd'.repeat(60));
  await copyData(deep);
  const first = await startHolder('start', deep);
  const postgres = postmasterOf(deep);
  await first.kill();
  await rm(socketFolderOf(first.url), { recursive: true });
  const second = await startHolder('start', deep);
  expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(isRunning(postgres)).toBe(false);
});

test('a folder that cannot be written ends the start with one sentence', async () => {
  await writeFile(join(folder, 'file'), '');
  const { problem } = await startHolder('start', join(folder, 'file', 'data'));
  expect(problem).toMatch(
    /^Waypost cannot keep its data in DATA_DIR \(.*file\/data\): ENOTDIR.* set another DATA_DIR\.$/,
  );
});

test('the data and the password are nobody else’s to read, and every connection needs the password', async () => {
  const home = join(dataDir, 'postgres');
  expect((await stat(join(home, 'data'))).mode & 0o777).toBe(0o700);
  for (const file of ['password', 'administrator.password'])
    expect((await stat(join(home, file))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(home, 'data', 'pg_hba.conf'), 'utf8')).toBe('local all all scram-sha-256\n');
});
