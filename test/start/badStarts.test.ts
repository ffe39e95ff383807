import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { preparedFolder } from '../support/preparedFolder.ts';
import { buildProgram, killAllPrograms, launchProgram } from '../support/program.ts';

let folder: Awaited<ReturnType<typeof preparedFolder>>;
beforeAll(async () => {
  await buildProgram();
  folder = await preparedFolder();
});
afterAll(async () => {
  await killAllPrograms();
  await folder.remove();
});

vi.setConfig({ testTimeout: 120_000 });

/** What a start that must fail printed, and the status it ended with. */
async function failedStart(
  env: Record<string, string>,
): Promise<{ status: number | null; sentence: string }> {
  const program = launchProgram({ DATA_DIR: folder.path, ...env });
  await once(program.child, 'exit');
  return { status: program.child.exitCode, sentence: program.printed().trim() };
}

async function takenPort(): Promise<{ port: number; free(): void }> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, free: () => taken.close() };
}

describe('a start that cannot work ends with one clear sentence', () => {
  test('a variable that makes no sense', async () => {
    expect(await failedStart({ PORT: 'eighty' })).toEqual({
      status: 1,
      sentence: 'PORT must be a whole number from 0 to 65535, but is "eighty".',
    });
  });

  test('a provider without what it needs', async () => {
    expect(await failedStart({ EMAIL_PROVIDER: 'smtp', EMAIL_FROM: 'updates@shop.example' })).toEqual({
      status: 1,
      sentence: 'EMAIL_PROVIDER is smtp, which needs SMTP_HOST (or SMTP_HOST_FILE): name of the mail server.',
    });
  });

  test('a port that is taken', async () => {
    const { port, free } = await takenPort();
    const { status, sentence } = await failedStart({ PORT: String(port) });
    free();
    expect(status).toBe(1);
    expect(sentence).toBe(
      `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set PORT to another.`,
    );
  });

  test('a port that is taken, for several processes: one sentence, not one from each', async () => {
    const { port, free } = await takenPort();
    const { status, sentence } = await failedStart({ PORT: String(port), PROCESSES: '2' });
    free();
    expect(status).toBe(1);
    expect(sentence).toBe(
      `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set PORT to another.`,
    );
  });

  test('a number of processes that makes no sense', async () => {
    expect(await failedStart({ PROCESSES: 'many' })).toEqual({
      status: 1,
      sentence: 'PROCESSES must be a whole number from 1 to 64, or auto, but is "many".',
    });
  });

  test('a data folder that cannot be written', async () => {
    const file = join(folder.path, 'a-file');
    await writeFile(file, '');
    const { status, sentence } = await failedStart({ DATA_DIR: join(file, 'data') });
    expect(status).toBe(1);
    expect(sentence.split('\n')).toHaveLength(1);
    expect(sentence).toContain('DATA_DIR');
  });

  test.skipIf(process.getuid?.() === 0)('a data folder that belongs to someone else', async () => {
    const locked = join(folder.path, 'locked');
    await writeFile(join(folder.path, 'marker'), '');
    await chmod(folder.path, 0o500);
    const { status, sentence } = await failedStart({ DATA_DIR: locked });
    await chmod(folder.path, 0o700);
    expect(status).toBe(1);
    expect(sentence).toContain('DATA_DIR');
  });

  test('a database that is not there', async () => {
    const { status, sentence } = await failedStart({
      DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing',
      SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    });
    expect(status).toBe(1);
    expect(sentence.split('\n')).toHaveLength(1);
    expect(sentence).toContain('database');
  });
});
