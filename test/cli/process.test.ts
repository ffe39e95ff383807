import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCallers, keyHash } from '../../src/businesses/keys.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { preparedFolder } from '../support/preparedFolder.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { CLI_SECRET_KEY, type CommandResult } from './console.ts';
import { addRecipient } from './rows.ts';

/** What `npm run -s waypost --` runs: it builds when the source has changed, and then runs the program. */
const SCRIPT = fileURLToPath(new URL('../../scripts/waypost.mjs', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../dist/program/cli.js', import.meta.url));
/** Each process takes half a second, and longer while others keep the machine busy. */
const PATIENCE_MS = 120_000;

/** In npm test one command of each noun is a process: what each of them does is tested without processes, too. */
const EVERY_COMMAND = shortOrLong(0, 1) === 1;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  expect(await start(SCRIPT, {}, '--help')).toMatchObject({ code: 0 });
}, PATIENCE_MS);
afterAll(() => database.drop());

/** A process of its own, with nothing of ours in its environment but what is given. */
function start(program: string, env: Record<string, string>, ...argv: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...argv], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code: code ?? -1, out, err }));
  });
}

const waypost = (env: Record<string, string>, ...argv: string[]) => start(PROGRAM, env, ...argv);

describe('as a process', () => {
  const run = (...argv: string[]) =>
    waypost({ DATABASE_URL: database.url, SECRET_KEY: CLI_SECRET_KEY }, ...argv);
  const ok = async (...argv: string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await run(...argv, '--json');
    expect({ argv, code, err }).toEqual({ argv, code: 0, err: '' });
    return JSON.parse(out);
  };

  test(`${EVERY_COMMAND ? 'every command' : 'a command of every noun'} does its work and answers one JSON document`, {
    timeout: PATIENCE_MS,
  }, async () => {
    const made = await ok('business', 'create', '--name', 'Shop', '--credits', '5');
    const id = String(made.business_id);
    expect((await findCallers(database.pool, [keyHash(String(made.api_key))]))[0]?.businessId).toBe(id);
    expect(await ok('credits', 'add', id, '5')).toMatchObject({ balance: 10 });
    const key = await ok('key', 'create', id, '--name', 'Till');
    await addRecipient(database.pool, id, 'jane@example.com', '+37255550134');
    expect(await ok('recipient', 'stop', id, 'jane@example.com', '--channel', 'sms')).toMatchObject({
      status: 'stopped',
    });
    expect(await ok('template', 'set', '--status', 'delayed', '--state', 'in_review')).toMatchObject({
      state: 'in_review',
    });
    await database.pool.query(
      `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, disabled_at, created_at)
       values ($1, 'hook', 'https://shop.example/hook', '', '', now(), now())`,
      [id],
    );
    expect(await ok('endpoint', 'enable', 'hook')).toMatchObject({ disabled: false });
    expect(await ok('suppression', 'add', id, 'jane@example.com')).toMatchObject({ added: true });
    expect(await ok('price', 'set', 'CH', '2')).toMatchObject({ credits: 2 });
    expect(await ok('outbox', 'stats')).toMatchObject({ sends_waiting: 0 });
    expect(await ok('migrate')).toEqual({ applied: [] });
    if (EVERY_COMMAND) await callTheOthers(id, String(key.key_id));
  });

  async function callTheOthers(id: string, keyId: string): Promise<void> {
    expect(await ok('business', 'list')).toMatchObject({ items: [{ business_id: id }] });
    expect(await ok('business', 'show', id)).toMatchObject({ balance: 10 });
    expect(await ok('business', 'set', id, '--paused', 'true')).toMatchObject({ paused: true });
    expect(await ok('key', 'revoke', keyId)).toMatchObject({ revoked: [keyId] });
    expect(await ok('recipient', 'show', id, 'jane@example.com')).toMatchObject({ sms_status: 'stopped' });
    expect(await ok('suppression', 'list', id)).toMatchObject({ items: [{ email: 'jane@example.com' }] });
    expect(await ok('suppression', 'remove', id, 'jane@example.com')).toMatchObject({
      removed: ['operator'],
    });
    expect(await ok('price', 'list')).toMatchObject({ items: [{ country: 'CH' }] });
  }

  test('help succeeds, and a mistake fails with one line on standard error', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('business create'),
    });
    expect(await run('business', 'show', 'nobody')).toEqual({
      code: 1,
      out: '',
      err: 'No business has the id "nobody".\n',
    });
    expect(await run('nonsense')).toMatchObject({ code: 1, out: '' });
  });
});

describe('without DATABASE_URL', () => {
  let folder: Awaited<ReturnType<typeof preparedFolder>>;
  beforeAll(async () => {
    folder = await preparedFolder();
  });
  afterAll(() => folder.remove());

  test('commands start the Postgres that a server made in DATA_DIR, keep what they wrote and stop it again', {
    timeout: PATIENCE_MS,
  }, async () => {
    const dataDir = folder.path;
    const env = { DATA_DIR: dataDir };
    const { code, out, err } = await waypost(env, 'business', 'create', '--name', 'Shop', '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const id: unknown = JSON.parse(out).business_id;

    const [shown, suppressed] = await Promise.all([
      waypost(env, 'business', 'show', String(id), '--json'),
      waypost(env, 'suppression', 'add', String(id), 'jane@example.com', '--json'),
    ]);
    expect([shown.err, suppressed.err]).toEqual(['', '']);
    expect(JSON.parse(shown.out)).toMatchObject({ business_id: id, name: 'Shop' });
    const listed = await waypost(env, 'suppression', 'list', String(id), 'jane@example.com', '--json');
    expect(JSON.parse(listed.out)).toMatchObject({ items: [{ email: 'jane@example.com' }] });
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
    await expect(stat(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).rejects.toThrow('ENOENT');
  });
});
