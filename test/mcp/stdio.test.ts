import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClone, packIn } from '../support/freshClone.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { connectAssistant, READING, SENDING } from './assistant.ts';

/** What a user starts: packed in a fresh clone, and unpacked beside nothing but the packages that it names. */
const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
let service: TestService;
let shop: Shop;
let scratch: string;
let program: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'waypost-mcp-'));
  const clone = join(scratch, 'clone');
  await freshClone(clone);
  const [packed, started] = await Promise.all([packIn(clone, 'mcp'), startService({ ROLES: 'api' })]);
  service = started;
  shop = await service.business();
  expect(packed.files.sort()).toEqual(['LICENSE', 'README.md', 'dist/main.js', 'package.json']);
  await run('tar', ['-xzf', packed.path, '-C', scratch]);
  await symlink(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));
  program = join(scratch, 'package', 'dist', 'main.js');
});
afterAll(async () => {
  await service.close();
  await rm(scratch, { recursive: true, force: true });
});

const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  WAYPOST_BASE_URL: `${service.url}/`,
  WAYPOST_API_KEY: shop.apiKey,
});
const connect = (env: Record<string, string>, ...args: string[]) =>
  connectAssistant(new StdioClientTransport({ command: process.execPath, args: [program, ...args], env }));

test('it reads, and sends only where it was started so', async () => {
  const { id } = await shop.pushed({ subject: 'Your order' });
  const reading = await connect(environment());
  expect(await reading.toolNames()).toEqual(READING);
  expect(JSON.parse((await reading.use('read_message', { id })).text)).toMatchObject({ message: { id } });
  expect((await reading.use('search_docs', { query: 'idempotency' })).text).toContain('## Idempotency');

  const sending = await connect(environment(), '--allow-send');
  expect(await sending.toolNames()).toEqual([...READING, ...SENDING].sort());
  const push = {
    recipient_email: 'bo@example.com',
    subject: 'Hello',
    body: 'Shipped.',
    idempotency_key: 'bo-1',
  };
  expect(JSON.parse((await sending.use('push_message', push)).text)).toMatchObject({
    recipient_email: 'bo@example.com',
  });
});

test('a service that is away is said so, without the key', async () => {
  const assistant = await connect({ ...environment(), WAYPOST_BASE_URL: 'http://127.0.0.1:1' });
  const { isError, text } = await assistant.use('read_usage');
  expect(isError).toBe(true);
  expect(text).toContain('Waypost at 127.0.0.1:1 cannot be reached');
  expect(text).not.toContain(shop.apiKey);
});

test.each([
  [{ WAYPOST_BASE_URL: '' }, 'WAYPOST_BASE_URL must be'],
  [{ WAYPOST_BASE_URL: 'ftp://x' }, 'WAYPOST_BASE_URL must be'],
  [{ WAYPOST_API_KEY: '' }, 'WAYPOST_API_KEY must be'],
  [{ WAYPOST_API_KEY: 'two words' }, 'WAYPOST_API_KEY must be'],
])('it says what is wrong with its settings: %j', async (wrong, sentence) => {
  const failed = await run(process.execPath, [program], { env: { ...environment(), ...wrong } }).catch(
    (error: { code: number; stderr: string }) => error,
  );
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
});

test('--help says how', async () => {
  const { stdout } = await run(process.execPath, [program, '--help'], { env: { PATH: process.env.PATH } });
  expect(stdout).toContain('--allow-send');
});
