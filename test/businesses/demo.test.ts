import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEMO_BUSINESS_ID, deactivateDemo, ensureDemo } from '../../src/businesses/demo.ts';
import { createKey, findCallers, keyHash, revokeKey } from '../../src/businesses/keys.ts';
import { listKeys } from '../../src/businesses/keysSql.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { readSettings } from '../../src/businesses/sql.ts';
import { transaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
let dataDir: string;
beforeEach(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-demo-'));
});
afterEach(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const BASE = 'http://localhost:8080';
const start = (baseUrl = BASE, where = dataDir) =>
  ensureDemo(database.pool, systemClock, { dataDir: where, baseUrl });
const file = () => join(dataDir, 'demo.json');
const kept = async (): Promise<unknown> => JSON.parse(await readFile(file(), 'utf8'));
const works = async (key: string) =>
  (await findCallers(database.pool, [keyHash(key)]))[0]?.businessId === DEMO_BUSINESS_ID;
const keys = () => listKeys(database.pool, DEMO_BUSINESS_ID);

test('the first start makes a shop with 1,000 credits and a file that only its owner reads', async () => {
  const demo = await start();
  expect(demo).toEqual({
    base_url: BASE,
    business_id: DEMO_BUSINESS_ID,
    api_key: expect.stringMatching(/^way_live_/),
  });
  expect(await kept()).toEqual(demo);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['demo.json']);
  expect(await works(demo.api_key)).toBe(true);
  expect(await readSettings(database.pool, [DEMO_BUSINESS_ID])).toMatchObject([
    { name: 'Demo Shop', smsMode: 'on_request', whatsappMode: 'on_request', warmup: false, countries: null },
  ]);
  const { rows } = await database.pool.query(
    `select a.balance, sum(l.amount)::int as ledger from credit_accounts a join credit_ledger l using (business_id) group by 1`,
  );
  expect(rows).toEqual([{ balance: 1_000, ledger: 1_000 }]);
});

test('later starts say the same, whatever became of the shop meanwhile', async () => {
  const first = await start();
  await transaction(database.pool, (tx) =>
    changeSettings(
      tx,
      systemClock.now(),
      DEMO_BUSINESS_ID,
      { name: 'Mine', active: false, plan: 'lapsed' },
      'test',
    ),
  );
  expect(await start()).toEqual(first);
  expect(await keys()).toHaveLength(1);
  expect(await readSettings(database.pool, [DEMO_BUSINESS_ID])).toMatchObject([{ name: 'Mine' }]);
});

test('another address is written into the file, with the same key', async () => {
  const { api_key } = await start();
  const moved = await start('http://localhost:9090');
  expect(moved).toEqual({ base_url: 'http://localhost:9090', business_id: DEMO_BUSINESS_ID, api_key });
  expect(await kept()).toEqual(moved);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test.each([
  '',
  'not json',
  '[]',
  'null',
  '{"api_key":5}',
  '{"base_url":"x","business_id":"y","api_key":"way_live_z"}',
])('a file that is lost or holds %j gets a key that works, also on a lapsed plan', async (content) => {
  await start();
  await transaction(database.pool, (tx) =>
    changeSettings(tx, systemClock.now(), DEMO_BUSINESS_ID, { plan: 'lapsed' }, 'test'),
  );
  await (content === '' ? rm(file()) : writeFile(file(), content));
  const mended = await start();
  expect(await works(mended.api_key)).toBe(true);
  expect(await kept()).toEqual(mended);
  expect(await keys()).toHaveLength(2);
});

test('a revoked key is replaced', async () => {
  const first = await start();
  const [{ id = '' } = {}] = await keys();
  await revokeKey(database.pool, systemClock, { businessId: DEMO_BUSINESS_ID, keyId: id, revokedBy: null });
  const second = await start();
  expect(second.api_key).not.toBe(first.api_key);
  expect(await works(second.api_key)).toBe(true);
});

test('the file of another installation is not believed', async () => {
  await start();
  const elsewhere = await testDatabase();
  try {
    const demo = await ensureDemo(elsewhere.pool, systemClock, { dataDir, baseUrl: BASE });
    expect((await findCallers(elsewhere.pool, [keyHash(demo.api_key)]))[0]).not.toBeNull();
    expect(await kept()).toEqual(demo);
  } finally {
    await elsewhere.drop();
  }
});

test('several processes that start at once agree on one shop and one key', async () => {
  const demos = await Promise.all(Array.from({ length: 8 }, () => start()));
  expect(new Set(demos.map(({ api_key }) => api_key)).size).toBe(1);
  expect(await keys()).toHaveLength(1);
  expect(await kept()).toEqual(demos[0]);
});

test('a shop that may have no more keys says what to do', async () => {
  await start();
  const request = { businessId: DEMO_BUSINESS_ID, mintedBy: null, name: null, detach: false };
  for (let made = 1; made < 25; made += 1) await createKey(database.pool, systemClock, request);
  await rm(file());
  await expect(start()).rejects.toThrow(OperatorError);
  await expect(start()).rejects.toThrow(/revoke one of its keys/);
});

test('a place that cannot be written is one sentence, and leaves no key that nobody knows', async () => {
  await writeFile(join(dataDir, 'taken'), '');
  await expect(start(BASE, join(dataDir, 'taken'))).rejects.toThrow(/^DATA_DIR must be writable/);
  expect(await keys()).toEqual([]);
});

describe('where the sandbox is off', () => {
  const active = async () => (await readSettings(database.pool, [DEMO_BUSINESS_ID]))[0]?.active;
  const setActive = (active: boolean) =>
    transaction(database.pool, (tx) =>
      changeSettings(tx, systemClock.now(), DEMO_BUSINESS_ID, { active }, 'operator'),
    );

  test('there is no demo business unless there was one', async () => {
    expect(await deactivateDemo(database.pool, systemClock)).toBe(false);
    expect(await readSettings(database.pool, [DEMO_BUSINESS_ID])).toEqual([]);
  });

  test('every start deactivates it, and the next start with a sandbox activates it with the same key', async () => {
    const first = await start();
    expect(await deactivateDemo(database.pool, systemClock)).toBe(true);
    expect(await deactivateDemo(database.pool, systemClock)).toBe(true);
    expect(await active()).toBe(false);
    expect(await start()).toEqual(first);
    expect(await active()).toBe(true);
  });

  test('a demo business that its operator deactivated stays so', async () => {
    await start();
    await setActive(false);
    await deactivateDemo(database.pool, systemClock);
    await start();
    expect(await active()).toBe(false);
    await setActive(true);
    await start();
    expect(await active()).toBe(true);
  });

  test('starts of several processes at once agree', async () => {
    await start();
    await Promise.all(Array.from({ length: 8 }, () => deactivateDemo(database.pool, systemClock)));
    expect(await active()).toBe(false);
    await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(await active()).toBe(true);
  });
});
