import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endAllPrograms, launchProgram, scratchFolder } from '../helpers/program.ts';

let folder: Awaited<ReturnType<typeof scratchFolder>>;
beforeAll(async () => {
  folder = await scratchFolder();
});
afterAll(async () => {
  await endAllPrograms();
  await folder.remove();
});

/** What a start that must fail printed, and the status it ended with. */
async function failedStart(
  env: Record<string, string>,
): Promise<{ status: number | null; sentence: string }> {
  const program = launchProgram({ DATA_DIR: join(folder.path, 'data'), ...env });
  await once(program.child, 'exit');
  return { status: program.child.exitCode, sentence: program.printed().trim() };
}

describe('a start that cannot work ends with one clear sentence', () => {
  test.each([
    ['PORT', { PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535, but is "eighty".'],
    ['PORT', { PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, but is "70000".'],
    ['ROLES', { ROLES: 'api,cook' }, 'ROLES must be api, worker or both, but names "cook".'],
    [
      'PUBLIC_URL',
      { PUBLIC_URL: 'localhost:8080' },
      'PUBLIC_URL must be an http or https address without a query, but is "localhost:8080".',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'mysql://x' },
      'DATABASE_URL must be an address that starts with postgresql://.',
    ],
    [
      'EMAIL_PROVIDER',
      { EMAIL_PROVIDER: 'pigeon' },
      'EMAIL_PROVIDER must be one of sandbox, smtp, ses, postmark, resend, but is "pigeon".',
    ],
    [
      'LOG_LEVEL',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is "loud".',
    ],
    [
      'RATE_LIMIT_PER_SECOND',
      { RATE_LIMIT_PER_SECOND: '-1' },
      'RATE_LIMIT_PER_SECOND must be a whole number from 0 to 1000000, but is "-1".',
    ],
    [
      'WEBHOOK_ALLOW_HOSTS',
      { WEBHOOK_ALLOW_HOSTS: 'localhost' },
      'WEBHOOK_ALLOW_HOSTS must be host:port pairs separated by commas, but holds "localhost".',
    ],
    ['SECRET_KEY', { SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 16 characters.'],
    [
      'SECRET_KEY',
      { DATABASE_URL: 'postgresql://localhost/waypost' },
      'SECRET_KEY must be set when DATABASE_URL is: every process on that database needs the same one.',
    ],
  ])('%s: %j', async (_variable, env, sentence) => {
    expect(await failedStart(env)).toEqual({ status: 1, sentence });
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { status, sentence } = await failedStart({ PORT: String(port) });
    taken.close();
    expect(status).toBe(1);
    expect(sentence).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program: stop it, or set PORT to another.`,
    );
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
      SECRET_KEY: 'a secret of some length',
    });
    expect(status).toBe(1);
    expect(sentence.split('\n')).toHaveLength(1);
    expect(sentence).toContain('database');
  });
});
