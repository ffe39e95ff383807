import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exampleCall } from '../../src/pages/reference/examples/call.ts';
import { curlExample } from '../../src/pages/reference/examples/curl.ts';
import { type OperationText, readReference } from '../../src/pages/reference/model.ts';
import { php, python } from '../client/languages.ts';
import { filesOfPage } from '../client/pageFiles.ts';
import { putSourceClientsInto } from '../client/sourceClient.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { readCommand, readPage } from './pages.ts';
import { follow } from './reader.ts';

/**
 * As a newcomer reads: every page that calls the service, one after the other, for one business. What an earlier page left behind
 * is in nobody's way.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
/** It follows some 160 steps. */
vi.setConfig({ testTimeout: 300_000 });

/** Something to follow; `follow` answers each step, with what was wrong with it. */
interface Chapter {
  name: string;
  follow(shop: Shop): AsyncIterable<{ place: string; fault: string | null }>;
}

const receiver = createServer((_request, response) => void response.writeHead(204).end());
let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-sitting-'));
  await Promise.all([listenOnFreePort(receiver), putSourceClientsInto(folder)]);
});
afterAll(async () => {
  receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const hook = (): string => {
  const { port }: AddressInfo = Object(receiver.address());
  return `127.0.0.1:${port}`;
};

test.each([
  ['from the first to the last', (chapters: readonly Chapter[]) => chapters],
  ['from the last to the first', (chapters: readonly Chapter[]) => chapters.toReversed()],
])('every page can be followed in one sitting, for one business, %s', async (_, inOrder) => {
  service = await startService({ WEBHOOK_ALLOW_HOSTS: hook(), RATE_LIMIT_PER_SECOND: '200' });
  try {
    const shop = await service.business({ credits: 100 });
    const faults: string[] = [];
    for (const chapter of inOrder([...PAGES, REFERENCE, ...PROGRAMS])) {
      let steps = 0;
      for await (const { place, fault } of chapter.follow(shop)) {
        steps += 1;
        if (fault !== null) faults.push(`${place}: ${fault}`);
      }
      expect(steps, chapter.name).toBeGreaterThan(0);
    }
    expect(PAGES.length).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  } finally {
    await service.close();
  }
});

const markdown = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort();

/** Every page with a request. What it shows as refused must be. */
const PAGES: readonly Chapter[] = ['README.md', ...markdown.map((name) => `docs/${name}`)]
  .map(readPage)
  .filter(({ steps }) => steps.length > 0)
  .map((page) => ({
    name: page.name,
    async *follow(shop) {
      const reading = { service, shop, receiver: hook(), day: 'today' } as const;
      for await (const { place, answer, shown, likeness } of follow(page, reading)) {
        // It tells what the ids of the page are.
        likeness.told(answer.body, shown?.body);
        const isAsShown = shown?.status == null ? answer.status < 300 : answer.status === shown.status;
        yield { place, fault: isAsShown ? null : `${answer.status} ${answer.text.slice(0, 200)}` };
      }
    },
  }));

/** The curl of every operation at /docs, with the ids that the calls before it were answered. */
const REFERENCE: Chapter = {
  name: '/docs',
  async *follow(shop) {
    const { groups } = readReference(Object(await (await fetch(`${shop.url}/openapi.json`)).json()));
    const made = new Map<string, string>();
    for (const operation of groups.flatMap(({ operations }) => operations)) {
      const resource = /^\/api\/v1\/[^/]+/.exec(operation.path)?.[0] ?? '';
      const call = exampleCall(withId(operation, made.get(resource)), shop.url, { apiKey: null, note: null });
      const { url, method, headers, body } = readCommand(curlExample(call), { WAYPOST_API_KEY: shop.apiKey });
      const answer = await shop.call(method, url.slice(shop.url.length), {
        key: null,
        headers: Object.fromEntries(headers),
        ...(body !== null && { raw: body }),
      });
      const { id } = Object(answer.body);
      if (method === 'POST' && operation.path === resource && id !== undefined) made.set(resource, id);
      yield {
        place: `/docs#${operation.id}`,
        fault: answer.status < 300 ? null : `${answer.status} ${answer.text.slice(0, 200)}`,
      };
      await service.advance({ seconds: 2 });
    }
  },
};

const withId = (operation: OperationText, id: string | undefined): OperationText => ({
  ...operation,
  parameters: operation.parameters.map((parameter) =>
    /_id$/.test(parameter.name) && id !== undefined ? { ...parameter, example: id } : parameter,
  ),
});

/** The blocks of a README that call the service and come to an end, as one program. */
function callsOf(name: string, language: string): string {
  const blocks = [...readPage(name).text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))];
  const calls = blocks
    .map(([, code = '']) => code)
    .filter((code) => /(waypost|Waypost\(\))(\.|->)\w+(\.|->)(?!follow)/.test(code));
  return calls.join('\n');
}

const fileOf = (page: string, name: string): string => filesOfPage(page).get(name) ?? '';

const RUNNERS = { mjs: process.execPath, py: 'python3', php: 'php' };

const PROGRAMS: readonly Chapter[] = [
  programs('README.md', 'mjs', () => [callsOf('README.md', 'js')]),
  programs('docs/quickstart.md', 'mjs', () => [
    fileOf('docs/quickstart.md', 'push.mjs'),
    fileOf('docs/quickstart.md', 'endpoint.mjs'),
  ]),
  programs('clients/typescript/README.md', 'mjs', () => [callsOf('clients/typescript/README.md', 'js')]),
  ...(python.isThere
    ? [
        programs('docs/clients/python.md', 'py', () => [
          fileOf('docs/clients/python.md', 'push.py'),
          fileOf('docs/clients/python.md', 'endpoint.py'),
        ]),
        programs('clients/python/README.md', 'py', () => [callsOf('clients/python/README.md', 'python')]),
      ]
    : []),
  ...(php.isThere
    ? [
        programs('docs/clients/php.md', 'php', () => [
          fileOf('docs/clients/php.md', 'push.php'),
          fileOf('docs/clients/php.md', 'endpoint.php'),
        ]),
        programs('clients/php/README.md', 'php', () => [
          `<?php require __DIR__ . '/vendor/autoload.php'; ${callsOf('clients/php/README.md', 'php')}`,
        ]),
      ]
    : []),
];

function programs(name: string, ending: keyof typeof RUNNERS, sources: () => readonly string[]): Chapter {
  return {
    name,
    async *follow({ url, apiKey }) {
      for (const [index, source] of sources().entries()) {
        const file = join(folder, `program.${ending}`);
        await writeFile(file, source.replaceAll('localhost:3000', hook()));
        const env = {
          PATH: process.env.PATH,
          ...python.env,
          WAYPOST_BASE_URL: url,
          WAYPOST_API_KEY: apiKey,
        };
        const fault = await run(RUNNERS[ending], [file], { cwd: folder, env }).then(
          () => null,
          ({ stderr }) => String(stderr),
        );
        yield { place: `${name}, program ${index + 1}`, fault: source === '' ? 'there is none' : fault };
      }
    },
  };
}
