import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { preparedFolder } from '../support/preparedFolder.ts';
import {
  buildProgram,
  killAllPrograms,
  launchProgram,
  type Program,
  processesUsing,
  startProgram,
} from '../support/program.ts';
import { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { commandOf, latestPidOf, pidsOf, untilEnded, untilReadyTimes } from './supervised.ts';

let folder: Awaited<ReturnType<typeof preparedFolder>>;
beforeAll(async () => {
  await buildProgram();
  folder = await preparedFolder();
});
afterEach(killAllPrograms);
afterAll(() => folder.remove());
vi.setConfig({ testTimeout: 120_000 });

const SUPERVISED = { PROCESSES: '2', LOG_LEVEL: 'info' };
const NAMES = ['api 1', 'api 2', 'worker'];

/** Their lines of the log come a moment after the banner. */
const untilAllReady = (program: Program) =>
  Promise.all(NAMES.map((name) => untilReadyTimes(program, name, 1)));

async function clockOf(url: string): Promise<number> {
  const response = await fetch(`${url}/sandbox/clock`, { headers: { connection: 'close' } });
  const { now }: { now: string } = JSON.parse(await response.text());
  return Date.parse(now);
}

test('npm start with PROCESSES=2: one banner, one sandbox and one clock; Ctrl-C ends everything', async () => {
  const flag = '--heap-growing-percent=100';
  let attempts = 0;
  const receiver = await startLoopbackServer(
    createServer((_request, response) => {
      attempts += 1;
      response.writeHead(500).end();
    }),
  );
  const hook = `127.0.0.1:${receiver.port}`;
  const env = { ...SUPERVISED, DATA_DIR: folder.path, WEBHOOK_ALLOW_HOSTS: hook };
  const program = await startProgram(env, { nodeFlags: ['--no-opt', flag] });
  await untilAllReady(program);
  expect(program.printed().match(/Waypost is running at/g)).toHaveLength(1);
  for (const name of NAMES) {
    const command = await commandOf(latestPidOf(program, name));
    expect(command).toContain(flag);
    // So that their stack traces name the source.
    expect(command).toContain('--enable-source-maps');
  }

  const { api_key } = JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8'));
  const shop = new Shop(program.url, '', api_key);
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: `http://${hook}/` } });
  await shop.pushed({ recipient_email: 'ann@example.com' });
  await eventually(async () => expect(await capturedMessages(program.url)).toHaveLength(1));

  const before = await clockOf(program.url);
  await fetch(`${program.url}/sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_seconds: 86_400 }),
  });
  for (let n = 0; n < 4; n += 1)
    expect(await clockOf(program.url)).toBeGreaterThanOrEqual(before + 86_400_000);
  // The move waited for the worker, which made every attempt of the 18 hours in turn.
  expect(attempts).toBe(8);

  // The terminal sends the signal to every process.
  for (const name of NAMES) process.kill(latestPidOf(program, name), 'SIGINT');
  expect(await program.end('SIGINT')).toBe(0);
  expect(await processesUsing(folder.path)).toBe('');
});

/** The harder case; in the long run also the other. */
const LOGS = ['nobody reads', 'somebody reads'].slice(0, shortOrLong(1, 2));

test.each(LOGS)(
  'after a kill -9 of the supervisor its processes end by themselves; %s their log',
  async (who) => {
    const database = await testDatabase();
    const program = await startProgram({
      ...SUPERVISED,
      DATABASE_URL: database.url,
      SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    });
    await untilAllReady(program);
    const pids = NAMES.map((name) => latestPidOf(program, name));
    if (who === 'nobody reads') {
      program.child.stderr?.destroy();
      // Every process has a warning to log: its connections are closed.
      await database.drop();
    }
    await program.end('SIGKILL');
    await untilEnded(pids);
    await database.drop();
  },
);

test('a process that ends again and again ends the program, with the reason', async () => {
  const database = await testDatabase();
  const program = launchProgram({
    ...SUPERVISED,
    ROLES: 'api',
    DATABASE_URL: database.url,
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
  });
  await untilReadyTimes(program, 'api 1', 1);
  await untilReadyTimes(program, 'api 2', 1);
  const ended = once(program.child, 'exit');
  await database.drop();
  process.kill(latestPidOf(program, 'api 2'), 'SIGKILL');
  await ended;
  expect(program.child.exitCode).toBe(1);
  expect(pidsOf(program, 'api 2')).toHaveLength(1);
  expect(program.printed().match(/^Process api 2 ended 5 times .*: The database refuses .*$/gm)).toHaveLength(
    1,
  );
  await untilEnded(pidsOf(program, 'api 1'));
});
