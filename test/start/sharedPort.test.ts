import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { STARTED_AFTER_MS } from '../../src/server/supervisor.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';
import { latestPidOf, untilReadyTimes } from './supervised.ts';

const PROCESSES = shortOrLong(2, 4);
const KILLS = shortOrLong(3, 50);
const LANES = 2;
/** Between two connections of a lane: processes that start need the machine, too. */
const PAUSE_MS = 10;
const CONNECTIONS_AT_A_KILL = 8;
const STOPPED_MS = 100;
/** A machine that runs other tests beside this one starts a process in half a minute. */
const READY_WITHIN_MS = 300_000;

let database: TestDatabase;
let program: Program;
beforeAll(async () => {
  await buildProgram();
  database = await testDatabase();
  program = await startProgram({
    DATABASE_URL: database.url,
    DATABASE_POOL_MAX: '6',
    PROCESSES: String(PROCESSES),
    ROLES: 'api',
    SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    LOG_LEVEL: 'info',
  });
});
afterAll(async () => {
  await killAllPrograms();
  await database.drop();
});
vi.setConfig({ testTimeout: 1_800_000 });

const NAMES = Array.from({ length: PROCESSES }, (_, index) => `api ${index + 1}`);
const REQUEST = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';

test('while API processes are killed under load, the port accepts every connection, and each is answered or closed', async () => {
  /** What each connection received; null while it is open. */
  const answers: (string | null)[] = [];
  const ask = async (): Promise<void> => {
    const connection = await openRawConnection(program.url);
    const index = answers.push(null) - 1;
    connection.send(REQUEST);
    answers[index] = await connection.closed;
  };
  let killing = true;
  const asked = Array.from({ length: LANES }, async () => {
    while (killing) {
      await ask();
      await sleep(PAUSE_MS);
    }
  });

  const starts = new Map(NAMES.map((name) => [name, 1]));
  let kills = 0;
  for (let round = 1; kills < KILLS; round += 1) {
    for (const [name, times] of starts) await untilReadyTimes(program, name, times, READY_WITHIN_MS);
    // A process that ends soon after its start again and again would end the program.
    if (round > 2) await sleep(STARTED_AFTER_MS);
    const victims = round % 2 === 0 ? NAMES : NAMES.slice(PROCESSES / 2);
    const pids = victims.map((name) => latestPidOf(program, name));
    // Stopped for a moment, so that connections are on their way to it when it dies.
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    asked.push(...Array.from({ length: CONNECTIONS_AT_A_KILL }, ask));
    await sleep(STOPPED_MS);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    for (const name of victims) starts.set(name, (starts.get(name) ?? 0) + 1);
    kills += victims.length;
  }
  killing = false;

  await eventually(() => expect(answers.filter((answer) => answer === null)).toEqual([]));
  await Promise.all(asked);
  const kinds = new Set(answers.map((answer) => answer?.split('\r\n')[0]));
  expect(kinds).toContain('HTTP/1.1 200 OK');
  kinds.delete('');
  expect([...kinds]).toEqual(['HTTP/1.1 200 OK']);
});
