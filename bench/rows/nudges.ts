import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statement } from '../../src/db/statement.ts';
import { runFolder } from '../cleanup.ts';
import type { BenchEnvironment } from '../environment.ts';
import { durationOf, type Span, startPauseProbe, undisturbed, wallMs } from '../hostPauses.ts';
import { openLoadConnection } from '../load/connection.ts';
import { PUSH_PATH, requestWriter } from '../load/requests.ts';
import { after, type Measured, measuredTimes, timeOf } from '../measure.ts';
import { type BenchServer, startBenchServer } from '../program.ts';
import { p99Under, type Reporter } from '../report/row.ts';

const PUSHES = 300;
const WARM_UP = 30;
const PAUSE_MS = 15;
const POLL_MS = 1;
const DISK_SECONDS = 3;
const PAGE_BYTES = 8_192;

/** Through the recipient, which has an index and few rows. */
const isCaptured = statement<[messageId: string], { id: string }>(`
  select c.id from messages m
  join sandbox_messages c on c.business_id = m.business_id and c.recipient_id = m.recipient_id and c.message_id = m.id
  where m.business_id = (select id from businesses limit 1) and m.id = $1`);

export async function measureNudges(world: BenchEnvironment, report: Reporter): Promise<void> {
  const program = await startBenchServer(world, await world.database('idle', 1_000));
  const probe = await startPauseProbe();
  const waits = await pushOneByOne(program);
  const calm = undisturbed(waits, await probe.read());
  report.measured('push to captured nudge', p99Under(50), measuredTimes(waits.map(durationOf)));
  report.measured("the same without the host's pauses", null, measuredTimes(calm.map(durationOf)));
  report.measured('the disk itself: write and fsync of one page', null, await measureDisk());
  report.memory('api and worker', program);
}

/** From a push's first byte to the commit of its captured nudge, one at a time on an idle server. */
async function pushOneByOne({ port, database }: BenchServer): Promise<Span[]> {
  const { apiKey, recipients, pool } = database;
  const connection = await openLoadConnection(port);
  const next = requestWriter({ kind: 'push', path: PUSH_PATH, apiKeys: [apiKey], recipients });
  const waits: Span[] = [];
  for (let number = 0; number < WARM_UP + PUSHES; number += 1) {
    const from = wallMs();
    const { body } = await connection.request(next());
    const { id } = JSON.parse(body.toString());
    while ((await isCaptured(pool, id)).length === 0) await sleep(POLL_MS);
    waits.push({ from, to: wallMs() });
    await sleep(PAUSE_MS);
  }
  connection.close();
  return waits.slice(WARM_UP);
}

/** Writes one page in place with fdatasync, repeatedly: every commit waits for the disk at least once. */
async function measureDisk(): Promise<Measured> {
  const file = await open(join(await runFolder(), 'page'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times: number[] = [];
  const write = async (): Promise<void> => {
    await file.write(page, 0, PAGE_BYTES, 0);
    await file.datasync();
  };
  for (const isOver = after(DISK_SECONDS); !isOver(); ) times.push(await timeOf(write));
  await file.close();
  return measuredTimes(times);
}
