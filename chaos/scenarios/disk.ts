import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd, runFolder } from '../../bench/cleanup.ts';
import { timeOf } from '../../bench/measure.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { startProgram } from '../../test/support/program.ts';
import { eventually } from '../../test/support/waiting.ts';
import { type AnsweredPush, answersOf, isHeldBack, isRefused, isTaken, pushTo } from '../pushClient.ts';
import { type ScenarioResult, type Skipped, unless } from '../report.ts';

const DISK_MIB = 400;
const BEFORE = 100;
/** At 10,000 characters each, far more than fits. */
const MOST_WHILE_FULL = 6_000;
const REFUSALS_ENOUGH = 50;
const LARGE = 'x'.repeat(10_000);
const run = promisify(execFile);

/** The program on a small disk that fills up and is freed: it refuses pushes while the disk is full, and loses none. */
export async function runDisk(): Promise<ScenarioResult | Skipped> {
  const folder = await runFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', folder]);
  } catch {
    return { skipped: 'it needs the right to mount a file system (as root).' };
  }
  atEnd(() => run('umount', ['-l', folder]));
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent' };
  const program = await startProgram(env);
  atEnd(() => program.end());
  const { api_key: apiKey } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const answers: AnsweredPush[] = [];
  const push = async (body: string): Promise<boolean> => {
    const answered = await pushTo({ baseUrl: program.url, apiKey }, `Order ${answers.length}`, body);
    answers.push(answered);
    return isTaken(answered);
  };

  while (answers.length < BEFORE) await push('Before.');
  const filler = join(folder, 'filler');
  // It ends when the disk is full.
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M']).catch(() => {});
  let refused = 0;
  while (refused < REFUSALS_ENOUGH && answers.length < BEFORE + MOST_WHILE_FULL)
    if (!(await push(LARGE))) refused += 1;
  await rm(filler);
  const backMs = await timeOf(() =>
    eventually(async () => {
      if (!(await push('After.'))) throw new Error('still refused');
    }),
  );

  const acknowledged = answers.filter(isTaken);
  const refusals = answers.filter(isRefused);
  const lost: string[] = [];
  for (const { messageId } of acknowledged) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const found = await fetch(`${program.url}/api/v1/messages/${messageId}`, { headers });
    await found.arrayBuffer();
    if (found.status !== 200) lost.push(messageId);
  }
  return {
    figures: {
      'disk, MiB': DISK_MIB,
      'pushes acknowledged': acknowledged.length,
      'pushes refused while it was full': refusals.length,
      'pushes taken again after it was cleared, s': Math.round(backMs / SECOND),
    },
    broken: {
      'every acknowledged push is stored': lost,
      'a push that cannot be stored is refused with 503 and Retry-After': answersOf(
        refusals.filter((push) => !isHeldBack(push, 503)),
      ),
      'the disk was really full': unless(refused >= REFUSALS_ENOUGH, `${refused} refusals`),
      'the program kept running': unless(program.child.exitCode === null, program.printed().slice(-500)),
    },
  };
}
