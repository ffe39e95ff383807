import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  buildProgram,
  killAllPrograms,
  launchProgram,
  type Program,
  processesUsing,
  startProgram,
} from '../support/program.ts';
import { scratchFolder } from '../support/scratchFolder.ts';
import { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/** One for all tests: only the first start makes the data. */
let folder: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  await buildProgram();
  folder = await scratchFolder();
});
afterAll(async () => {
  await killAllPrograms();
  await folder.remove();
});

/** Enough to have some in every phase when the kill comes. */
const PUSHES_A_ROUND = 30;
/** In the first Postgres is killed, too; in the second only the program; in the third both again. */
const ROUNDS = shortOrLong(1, 3);
vi.setConfig({ testTimeout: 180_000 });

const demoOf = (dataDir: string): { base_url: string; business_id: string; api_key: string } =>
  JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));

describe('npm start', () => {
  /** The first start, which the last of these tests ends. */
  let program: Program;
  beforeAll(async () => {
    program = await startProgram({ DATA_DIR: folder.path });
  }, 120_000);
  afterAll(killAllPrograms);

  test('prints the address, the key, a curl that works when pasted, and the pages', async () => {
    const demo = demoOf(folder.path);
    expect(statSync(join(folder.path, 'demo.json')).mode & 0o777).toBe(0o600);
    expect(demo.base_url).toBe(program.url);
    for (const part of [program.url, demo.api_key, '/sandbox', '/docs'])
      expect(program.printed()).toContain(part);

    const curl = /curl [\s\S]*?\n\n/.exec(program.printed())?.[0] ?? '';
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(stdout)).toMatchObject({ created: true, nudged: true, email: { sending: true } });
    await eventually(async () =>
      expect(await capturedMessages(program.url, { to: 'ann@example.com' })).toHaveLength(1),
    );
  });

  test('a second one on the same data says so in one sentence', async () => {
    const second = launchProgram({ DATA_DIR: folder.path });
    await new Promise((resolve) => second.child.once('exit', resolve));
    expect(second.child.exitCode).toBe(1);
    expect(second.printed().trim()).toMatch(
      /^Waypost is already running on these data \(DATA_DIR \S+\): [^\n]+$/,
    );
    expect((await new Shop(program.url, '', demoOf(folder.path).api_key).get('/api/v1/credits')).status).toBe(
      200,
    );
  });

  test('reuses the data and the key on the next start, and Ctrl-C leaves no process behind', async () => {
    const { api_key: key } = demoOf(folder.path);
    const { body } = await new Shop(program.url, '', key).push();
    expect(await program.end('SIGINT')).toBe(0);
    expect(await processesUsing(folder.path)).toBe('');

    const second = await startProgram({ DATA_DIR: folder.path });
    expect(demoOf(folder.path).api_key).toBe(key);
    const list = await new Shop(second.url, '', key).get('/api/v1/messages');
    expect(Object(list.body).items[0]).toMatchObject({ id: Object(body).id });
    expect(await second.end('SIGTERM')).toBe(0);
    expect(await processesUsing(folder.path)).toBe('');
  });
});

describe('kill -9 of everything in the middle of pushes', () => {
  test('loses no acknowledged push, and nudges each once', async () => {
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const program = await startProgram({ DATA_DIR: folder.path, RATE_LIMIT_PER_SECOND: '0' });
      const shop = new Shop(program.url, '', demoOf(folder.path).api_key);
      let killed = false;
      const pushing = Array.from({ length: 8 }, async (_, lane) => {
        for (let n = 0; !killed; n += 1) {
          const recipient_email = `p${round}-${lane}-${n}@example.com`;
          const answer = await shop.push({ recipient_email }).catch(() => null);
          if (answer?.status === 201) acknowledged.set(Object(answer.body).id, recipient_email);
        }
      });
      const enough = acknowledged.size + PUSHES_A_ROUND;
      await eventually(async () => expect(acknowledged.size).toBeGreaterThan(enough));
      const postgres = Number(
        readFileSync(join(folder.path, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
      );
      program.child.kill('SIGKILL');
      if (round !== 1) process.kill(postgres, 'SIGKILL');
      killed = true;
      await Promise.all(pushing);
    }

    const program = await startProgram({ DATA_DIR: folder.path, RATE_LIMIT_PER_SECOND: '0' });
    const shop = new Shop(program.url, '', demoOf(folder.path).api_key);
    // Until the leases of the killed workers have ended: what has arrived is not read again.
    const unsettled = new Map(acknowledged);
    await eventually(async () => {
      for (const [id, recipient_email] of unsettled) {
        const { body } = await shop.get(`/api/v1/messages/${id}`);
        const { delivery } = Object(body);
        expect(body).toMatchObject({ id, recipient_email });
        // What was with the provider when the process died may be unknown; nothing else is.
        expect(delivery.delivered || delivery.failed?.reason === 'outcome_unknown', id).toBe(true);
        unsettled.delete(id);
      }
    });
    const captured = await capturedMessages(program.url, { channel: 'email' });
    const copies = new Map<string, number>();
    for (const { message_id } of captured) copies.set(message_id, (copies.get(message_id) ?? 0) + 1);
    expect([...copies].filter(([, count]) => count > 1)).toEqual([]);
    await program.end();
  });
});
