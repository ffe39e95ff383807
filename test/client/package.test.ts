import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type Rollup } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClone, type Packed, packIn } from '../support/freshClone.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { clientOf } from './clientOf.ts';
import { copyAsScripts, hasProgram, installClient } from './installedClient.ts';

/** What a user installs: packed in a fresh clone, put into empty projects, and run against the service. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
let service: TestService;
let scratch: string;
let packed: Packed;
let esm: string;
let cjs: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'waypost-pack-'));
  const clone = join(scratch, 'clone');
  await freshClone(clone);
  [service, packed] = await Promise.all([startService(), packIn(clone, 'client')]);
  const modules = await installClient(packed);
  const scripts = await copyAsScripts(modules.folder);
  esm = modules.folder;
  cjs = scripts.folder;
  cleanups.push(modules.remove, scripts.remove);
});
afterAll(async () => {
  for (const remove of cleanups) await remove();
  await rm(scratch, { recursive: true, force: true });
  await service.close();
});

const environment = ({ url, apiKey }: Shop): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: scratch,
  NO_COLOR: '1',
  WAYPOST_BASE_URL: url,
  WAYPOST_API_KEY: apiKey,
});

/** A push, an error, a signature and a page of events: what differs between runtimes. */
const SMOKE = `
const waypost = new Waypost({ baseUrl: process.env.WAYPOST_BASE_URL, apiKey: process.env.WAYPOST_API_KEY });
async function main() {
  const { id } = await waypost.messages.push({ recipient_email: 'ann@example.com', subject: 'Hello', body: 'There' });
  const refused = await waypost.messages.get('nothing').catch((error) => error);
  if (!(refused instanceof NotFoundError) || refused.code !== 'message.not_found') throw refused;
  const body = JSON.stringify({ id: 'e1', type: 'ping', occurred_at: '2026-08-20T09:15:00Z', data: { endpoint_id: 'x' } });
  const event = await verifyWebhook(body, await signWebhook(body, 'whsec_x'), 'whsec_x');
  const forged = await verifyWebhook(body + ' ', await signWebhook(body, 'whsec_x'), 'whsec_x').catch((error) => error.code);
  for await (const message of waypost.messages.list()) console.log([message.id === id, event.type, forged].join(' '));
}
`;
const NAMES = 'Waypost, NotFoundError, signWebhook, verifyWebhook';
const SAYS = 'true ping signature_mismatch\n';

describe('what npm packs', () => {
  test('is the built client, its readme, licence and examples, and nothing else', () => {
    const kinds = new Set(packed.files.map((file) => file.replace(/[^/]+\.(d\.ts|js|mjs)$/, '*.$1')));
    expect([...kinds].sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/cjs/*.d.ts',
      'dist/cjs/*.js',
      'dist/cjs/generated/*.d.ts',
      'dist/cjs/generated/*.js',
      'dist/cjs/package.json',
      'dist/cjs/resources/*.d.ts',
      'dist/cjs/resources/*.js',
      'dist/esm/*.d.ts',
      'dist/esm/*.js',
      'dist/esm/cli/*.js',
      'dist/esm/generated/*.d.ts',
      'dist/esm/generated/*.js',
      'dist/esm/package.json',
      'dist/esm/resources/*.d.ts',
      'dist/esm/resources/*.js',
      'examples/*.mjs',
      'package.json',
    ]);
    expect(packed.files.filter((file) => file.includes('.test.'))).toEqual([]);
  });

  test('needs no other package', async () => {
    const manifest = JSON.parse(
      await readFile(join(esm, 'node_modules/@waypost/client/package.json'), 'utf8'),
    );
    const asked = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
    expect(asked.filter((kind) => kind in manifest)).toEqual([]);
  });
});

describe('a bundle', () => {
  const LIMIT = 12 * 1024;

  async function bundled(code: string, format: 'es' | 'iife' = 'es'): Promise<string> {
    const entry = join(esm, 'entry.mjs');
    await writeFile(entry, code);
    const made = await build({
      root: esm,
      configFile: false,
      logLevel: 'silent',
      build: {
        write: false,
        minify: true,
        target: 'es2022',
        lib: { entry, formats: [format], name: 'client' },
      },
    });
    const [output]: Rollup.RollupOutput[] = Array.isArray(made) ? made : [Object(made)];
    const chunks = output?.output ?? [];
    expect(chunks).toHaveLength(1);
    return Object(chunks[0]).code;
  }

  test('of everything is under 12 KB gzipped', async () => {
    const code = await bundled(`export * from '@waypost/client';`);
    expect(code.length).toBeGreaterThan(10_000);
    expect(gzipSync(code).length).toBeLessThan(LIMIT);
  });

  test('of the verifier alone has nothing of the rest', async () => {
    const code = await bundled(`export { verifyWebhook } from '@waypost/client';`);
    expect(gzipSync(code).length).toBeLessThan(LIMIT / 4);
    for (const other of ['idempotency-key', '/api/v1', 'sandbox', 'retry-after'])
      expect(code).not.toContain(other);
  });

  test('runs where there is only what edge runtimes have: no process, no Buffer, no require', async () => {
    const shop = await service.business();
    const code = await bundled(`export * from '@waypost/client';`, 'iife');
    const printed: string[] = [];
    const web = {
      AbortController,
      ArrayBuffer,
      TextDecoder,
      TextEncoder,
      URLSearchParams,
      Uint8Array,
      atob,
      btoa,
      clearTimeout,
      crypto,
      fetch,
      performance,
      setTimeout,
    };
    const told = { console: { log: (line: string) => printed.push(`${line}\n`) } };
    const smoke = SMOKE.replace(/process\.env\.(\w+)/g, (_, name: string) =>
      JSON.stringify(environment(shop)[name]),
    );
    await runInNewContext(`${code}; (() => { const { ${NAMES} } = client; ${smoke}; return main(); })()`, {
      ...web,
      ...told,
    });
    expect(printed.join('')).toBe(SAYS);
  });
});

describe('in an empty project', () => {
  beforeAll(async () => {
    const imported = `import { ${NAMES} } from '@waypost/client';\n${SMOKE}\nawait main();`;
    const required = `const { ${NAMES} } = require('@waypost/client');\n${SMOKE}\nmain();`;
    await writeFile(join(esm, 'smoke.mjs'), imported);
    await writeFile(join(cjs, 'smoke.cjs'), required);
  });

  test('ESM', async () => {
    const shop = await service.business();
    const { stdout } = await run(process.execPath, ['smoke.mjs'], { cwd: esm, env: environment(shop) });
    expect(stdout).toBe(SAYS);
  });

  test('CJS', async () => {
    const shop = await service.business();
    const { stdout } = await run(process.execPath, ['smoke.cjs'], { cwd: cjs, env: environment(shop) });
    expect(stdout).toBe(SAYS);
  });

  const deno = ['run', '--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual'];
  test.for([
    ['Node 18', 'node18', () => esm, ['smoke.mjs']],
    ['Node 18 in CJS', 'node18', () => cjs, ['smoke.cjs']],
    ['Bun', 'bun', () => esm, ['run', 'smoke.mjs']],
    ['Deno', 'deno', () => esm, [...deno, 'smoke.mjs']],
  ] as const)('%s', async ([name, program, project, args], { skip }) => {
    skip(!hasProgram(program), `${name} is not on this machine as ${program}`);
    const shop = await service.business();
    const { stdout } = await run(program, args, { cwd: project(), env: environment(shop) });
    expect(stdout).toBe(SAYS);
  });

  const TYPED = `
import { Waypost, type Push, type PushResult, ValidationError, verifyWebhook } from '@waypost/client';

const { WAYPOST_BASE_URL: baseUrl = '', WAYPOST_API_KEY: apiKey = '' } = process.env;
const waypost = new Waypost({ baseUrl, apiKey, deadlineMs: undefined });
const push: Push = { recipient_email: 'ann@example.com', subject: 'Hello', body: 'There', channels: ['sms'] };

async function main(): Promise<void> {
  const result: PushResult = await waypost.messages.push(push, { signal: AbortSignal.timeout(10_000) });
  const reason: string | null | undefined = result.sms?.skipped_reason;
  console.log(reason, result.sms?.skipped_reason === 'no_phone', result.kind === 'of a later version');
  for (const item of (await waypost.messages.pushBatch([])).items) {
    const title: string | null = item.ok ? item.result.subject : item.detail;
    console.log(title);
  }
  for (const one of (await waypost.events.page({ types: ['message.opened'] })).items)
    if (one.type === 'message.opened') console.log(one.data.message_id);
  const later: Push = { ...push, send_at: new Date() };
  void later;
  // @ts-expect-error -- what is sent has the words of this version alone
  void waypost.messages.list({ status: 'of a later version', created_after: new Date() });
  const event = await verifyWebhook('', {}, 'whsec_x').catch(() => null);
  if (event?.type === 'message.opened') console.log(event.data.subject?.length);
  // @ts-expect-error -- there is no such channel
  const wrong: Push = { ...push, channels: ['fax'] };
  const error: unknown = await waypost.messages.push(wrong).catch((one: unknown) => one);
  if (error instanceof ValidationError) console.log(error.fields.map(({ field }) => field).join());
}

void main();
`;

  const COMPILED: [how: string, project: () => string, compiler: string][] = [
    ['as a module', () => esm, 'typescript-native'],
    ['as a script', () => cjs, 'typescript-native'],
    // It takes seven seconds for what the one in native code does in one: only in the long run.
    ['as a module, with the compiler in JavaScript', () => esm, 'typescript'],
  ];
  test.each(COMPILED.slice(0, shortOrLong(2, 3)))('strict TypeScript %s', async (_how, project, compiler) => {
    const shop = await service.business();
    const folder = project();
    await writeFile(join(folder, 'typed.ts'), TYPED);
    const tsc = join(ROOT, 'node_modules', compiler, 'bin/tsc');
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const options = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--lib', 'es2022'];
    await run(process.execPath, [tsc, ...strict, ...options, ...types, 'typed.ts'], { cwd: folder }).catch(
      ({ stdout }) => Promise.reject(new Error(stdout)),
    );
    const { stdout } = await run(process.execPath, ['typed.js'], { cwd: folder, env: environment(shop) });
    expect(stdout).toBe('no_phone true false\nchannels[0]\n');
  });
});

describe('the command line', () => {
  test('is found by its package, shows its help, and tells a mistake in one sentence', async () => {
    const { stdout } = await run('npx', ['--offline', '@waypost/client', '--help'], { cwd: esm });
    expect(stdout).toContain('waypost listen --forward-to URL');
    await expect(run(join(esm, 'node_modules/.bin/waypost'), ['listen'], { cwd: esm })).rejects.toMatchObject(
      {
        code: 2,
        stderr: expect.stringContaining('Say where the service is: --base-url, or WAYPOST_BASE_URL.\n'),
      },
    );
  });
});

test('the readme begins with a push in ten lines, and shows the receiver as it is', async () => {
  const readme = await readFile(join(ROOT, 'clients/typescript/README.md'), 'utf8');
  const [, first = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  expect(first.trim().split('\n').length).toBeLessThanOrEqual(10);
  const shop = await service.business();
  await writeFile(join(esm, 'first.mjs'), first);
  const { stdout } = await run(process.execPath, ['first.mjs'], { cwd: esm, env: environment(shop) });
  const { value } = await clientOf(shop).messages.list().pages().next();
  expect(stdout).toBe(`${value?.items[0]?.id} { sending: true, skipped_reason: null }\n`);
  expect(readme).toContain(await readFile(join(ROOT, 'clients/typescript/examples/express.mjs'), 'utf8'));
});
