import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { monotonicMs, SECOND } from '../../src/kit/clock.ts';
import { type Program, startProgram } from '../../test/support/program.ts';
import { eventually } from '../../test/support/waiting.ts';
import { registerCleanup, runFolder } from '../cleanup.ts';
import { type AnsweredPush, pushTo } from '../pushClient.ts';
import { check, type ScenarioReport } from '../report.ts';

const SCENARIO = 'A full disk under the embedded database';
const DISK_MIB = 400;
const BEFORE = 100;
/** At 10,000 characters each, far more than fits. */
const MOST_WHILE_FULL = 6_000;
const REFUSALS_ENOUGH = 50;
const LARGE = 'x'.repeat(10_000);
const mount = promisify(execFile);

/** The program on a small disk that fills up and is freed: it refuses pushes while the disk is full, and loses none. */
export async function runDisk(): Promise<ScenarioReport> {
  const folder = await runFolder();
  let program: Program | null = null;
  let mounted = false;
  let unmount = async (): Promise<void> => {};
  try {
    await mount('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', folder.path]);
    mounted = true;
    unmount = registerCleanup(async () => void (await mount('umount', ['-l', folder.path])));
    const dataDir = join(folder.path, 'data');
    program = await startProgram({ DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent' });
    const { api_key: apiKey }: { api_key: string } = JSON.parse(
      readFileSync(join(dataDir, 'demo.json'), 'utf8'),
    );
    const client = { baseUrl: program.url, apiKey };
    const answers: AnsweredPush[] = [];
    const push = async (n: number, body: string): Promise<AnsweredPush> => {
      const answered = await pushTo(client, `Order ${n}`, body);
      answers.push(answered);
      return answered;
    };

    for (let n = 0; n < BEFORE; n += 1) await push(n, 'Before.');
    const filler = join(folder.path, 'filler');
    await fill(filler);
    let refused = 0;
    for (let n = BEFORE; refused < REFUSALS_ENOUGH && n < BEFORE + MOST_WHILE_FULL; n += 1)
      if ((await push(n, LARGE)).status !== 201) refused += 1;
    await rm(filler);
    const cleared = monotonicMs();
    await eventually(async () => {
      if ((await push(answers.length, 'After.')).status !== 201) throw new Error('still refused');
    });
    const backMs = monotonicMs() - cleared;

    const acknowledged = answers.filter(({ status }) => status === 201);
    const lost: string[] = [];
    for (const { messageId } of acknowledged) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const found = await fetch(`${program.url}/api/v1/messages/${messageId}`, { headers });
      await found.arrayBuffer();
      if (found.status !== 200) lost.push(messageId);
    }
    const refusals = answers.filter(({ status }) => status !== 201);
    return {
      scenario: SCENARIO,
      figures: {
        'disk, MiB': DISK_MIB,
        'pushes acknowledged': acknowledged.length,
        'pushes refused while it was full': refusals.length,
        'pushes taken again after it was cleared, s': Math.round(backMs / SECOND),
      },
      checks: [
        check('every acknowledged push is stored', lost),
        check(
          'a push that cannot be stored is refused with 503 and Retry-After',
          refusals.filter(({ status, retryAfter }) => status !== 503 || !retryAfter).map(({ text }) => text),
        ),
        check('the disk was really full', refused >= REFUSALS_ENOUGH ? [] : [`${refused} refusals`]),
        check(
          'the program kept running',
          program.child.exitCode === null ? [] : [program.printed().slice(-500)],
        ),
      ],
    };
  } catch (error) {
    if (mounted) throw error;
    return {
      scenario: SCENARIO,
      skipped: 'it needs the right to mount a file system (as root).',
      figures: {},
      checks: [],
    };
  } finally {
    await program?.end();
    await unmount();
    await folder.remove();
  }
}

/** Fills the disk. */
async function fill(path: string): Promise<void> {
  const block = Buffer.alloc(1024 * 1024);
  await writeFile(path, '');
  const file = await open(path, 'a');
  try {
    for (;;) await file.write(block);
  } catch {
    // The disk is full.
  } finally {
    await file.close();
  }
}
