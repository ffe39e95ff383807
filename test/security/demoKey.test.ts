import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { DEMO_BUSINESS_ID, ensureDemo } from '../../src/businesses/demo.ts';
import { readSettings } from '../../src/businesses/sql.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { mockApi } from '../providers/mockApi.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { preparedFolder } from '../support/preparedFolder.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { postmarkEnv } from '../support/providerEnvironments.ts';
import { scratchFolder } from '../support/scratchFolder.ts';
import { startService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let database: TestDatabase;
beforeAll(buildProgram);
beforeEach(async () => {
  folder = await scratchFolder();
  database = await testDatabase();
});
afterEach(async () => {
  await killAllPrograms();
  await folder.remove();
  await database.drop();
});
afterAll(killAllPrograms);

vi.setConfig({ testTimeout: 180_000 });

const SECRET_KEY = 'kd83hf02ns7qpz61mx94tb5vw0ac2eyr';
const keyIn = (dataDir: string): string =>
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')).api_key;

/** What a holder of the demo key gets: an answer to a read, to a push, and to a look at the first page. */
async function attempts({ url }: Program, key: string) {
  const shop = new Shop(url, DEMO_BUSINESS_ID, key);
  const page = await (await fetch(url)).text();
  return {
    read: (await shop.get('/api/v1/credits')).status,
    push: (await shop.push()).status,
    mint: (await shop.call('POST', '/api/v1/keys')).status,
    shown: page.includes(key),
  };
}

const DEAD = { read: 403, push: 403, mint: 403, shown: false };
const ALIVE = { read: 200, push: 201, mint: 201, shown: true };

test('the demo key is dead when its data folder goes to production, and works again in the sandbox', async () => {
  const mail = await mockApi({ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } });
  const data = await preparedFolder();
  onTestFinished(data.remove);
  const sandbox = { DATA_DIR: data.path };
  const first = await startProgram(sandbox);
  const key = keyIn(data.path);
  expect(await attempts(first, key)).toEqual(ALIVE);
  await first.end();

  for (const production of [
    { ...sandbox, NODE_ENV: 'production' },
    { ...sandbox, ...postmarkEnv(mail.url) },
  ]) {
    const program = await startProgram(production);
    expect(await attempts(program, key)).toEqual(DEAD);
    expect(program.printed()).toContain('The demo business is inactive');
    expect(program.printed()).not.toContain(key);
    await program.end();
  }
  expect(mail.taken).toEqual([]);

  const back = await startProgram(sandbox);
  expect(keyIn(data.path)).toBe(key);
  expect(await attempts(back, key)).toEqual(ALIVE);
});

test('the demo key is dead on a copy of its database, in every process, as soon as one with a real provider starts', async () => {
  const api = await startService({ ROLES: 'api' });
  onTestFinished(() => api.close());
  const { api_key: key } = await ensureDemo(api.database.pool, systemClock, {
    dataDir: folder.path,
    baseUrl: 'http://localhost',
  });
  const env = { DATABASE_URL: api.database.url, SECRET_KEY: api.secretKey, DATA_DIR: folder.path };
  const mail = await mockApi({ status: 200, body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } });
  const shop = new Shop(api.url, DEMO_BUSINESS_ID, key);
  await shop.pushed({ recipient_email: 'queued@example.com' });
  const worker = await startProgram({ ...env, ROLES: 'worker', ...postmarkEnv(mail.url) });
  expect(worker.printed()).toContain('The demo business is inactive');
  expect((await shop.push()).status).toBe(403);
  expect((await shop.get('/api/v1/credits')).status).toBe(403);
  await eventually(async () => {
    const { rows } = await api.pool.query('select state, reason from sends');
    expect(rows).toEqual([{ state: 'skipped', reason: 'business_inactive' }]);
  });
  expect(mail.taken).toEqual([]);

  // A process without providers of its own shares the database: it must not open what the worker has closed.
  const another = await startProgram({ ...env, ROLES: 'api' });
  expect((await new Shop(another.url, DEMO_BUSINESS_ID, key).push()).status).toBe(403);
});

test('a first start with a real provider makes no demo business', async () => {
  const mail = await mockApi({ status: 200 });
  const program = await startProgram({ DATA_DIR: folder.path, ...postmarkEnv(mail.url) });
  expect(existsSync(join(folder.path, 'demo.json'))).toBe(false);
  expect(program.printed()).not.toContain('way_live_');
  await program.end();

  const shared = await startProgram({
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: folder.path,
    NODE_ENV: 'production',
  });
  expect(shared.printed()).not.toContain('The demo business');
  expect(await readSettings(database.pool, [DEMO_BUSINESS_ID])).toEqual([]);
});
