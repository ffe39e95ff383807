import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleCall } from '../../src/pages/reference/examples/call.ts';
import { type CodeLanguage, codeLanguages, exampleIn } from '../../src/pages/reference/examples/languages.ts';
import { type OperationText, readReference } from '../../src/pages/reference/model.ts';
import { hasProgram } from '../client/installedClient.ts';
import { php, python } from '../client/languages.ts';
import { putSourceClientsInto } from '../client/sourceClient.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** What a reader copies from the reference, run as it stands, in a shop where what it names is there. */
const run = promisify(execFile);

/** A program that runs the files of its arguments, one after the other, and prints the names of those that fail, with why. */
const RUNNERS: Readonly<Record<CodeLanguage, { ending: string; args: readonly string[] }>> = {
  curl: {
    ending: 'sh',
    args: ['sh', '-c', 'for file in "$@"; do sh "$file" || printf "\\nFAILED %s\\n" "$file"; done', 'run'],
  },
  typescript: {
    ending: 'mjs',
    args: [
      'node',
      '--input-type=module',
      '-e',
      "for (const file of process.argv.slice(1)) await import(file).catch((e) => console.log('FAILED', file, e.code, e.message))",
    ],
  },
  python: {
    ending: 'py',
    args: [
      'python3',
      '-c',
      `import runpy, sys
for file in sys.argv[1:]:
    try:
        runpy.run_path(file)
    except Exception as error:
        print("FAILED", file, error)`,
    ],
  },
  php: {
    ending: 'php',
    args: [
      'php',
      '-r',
      'foreach (array_slice($argv, 1) as $file) { try { include $file; } catch (Throwable $e) { echo "\nFAILED $file {$e->getMessage()}\n"; } }',
      '--',
    ],
  },
};
const isThere: Readonly<Record<CodeLanguage, boolean>> = {
  curl: hasProgram('curl'),
  typescript: true,
  python: python.isThere,
  php: php.isThere,
};

let service: TestService;
let folder: string;
let operations: readonly OperationText[];
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'waypost-examples-'));
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\n');
  await putSourceClientsInto(folder);
  const document = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
  operations = readReference(document).groups.flatMap((group) => group.operations);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.close();
});

/** The ids that stand for those in the paths of the examples, by operation or by the beginning of its path. */
async function openShop(): Promise<{ shop: Shop; idOf(operation: OperationText): string | null }> {
  const shop = await service.business({ credits: 100 });
  const made = async (path: string, body: object): Promise<string> =>
    JSON.parse((await shop.call('POST', path, { body })).text).id;
  const key = JSON.parse((await shop.call('POST', '/api/v1/keys', { body: { name: 'To revoke' } })).text);
  const { id: message } = await shop.pushed({ recipient_email: 'ann@example.com', reference: '#1001' });
  const endpoint = await made('/api/v1/webhook-endpoints', { url: 'https://shop.example/kept' });
  const deleted = await made('/api/v1/webhook-endpoints', { url: 'https://shop.example/deleted' });
  return {
    shop,
    idOf({ id, path }) {
      if (id === 'deleteWebhookEndpoint') return deleted;
      if (path.startsWith('/api/v1/webhook-endpoints/')) return endpoint;
      if (path.startsWith('/api/v1/keys/')) return key.id;
      return path.startsWith('/api/v1/messages/') ? message : null;
    },
  };
}

const withId = (operation: OperationText, id: string | null): OperationText => ({
  ...operation,
  parameters: operation.parameters.map((parameter) =>
    /_id$/.test(parameter.name) && id !== null ? { ...parameter, example: id } : parameter,
  ),
});

describe.concurrent('every example does what it says', () => {
  for (const language of codeLanguages)
    test.skipIf(!isThere[language])(`in ${language}`, async () => {
      const { shop, idOf } = await openShop();
      const { ending, args } = RUNNERS[language];
      const [program = '', ...before] = args;
      const files: string[] = [];
      for (const operation of operations) {
        const call = exampleCall(withId(operation, idOf(operation)), service.url, {
          apiKey: null,
          note: null,
        });
        const file = join(folder, `${operation.id}.${ending}`);
        await writeFile(file, exampleIn[language](call));
        files.push(file);
      }
      const env = { ...process.env, ...python.env, CURL_HOME: folder, WAYPOST_API_KEY: shop.apiKey };
      const { stdout } = await run(program, [...before, ...files], { env });
      expect(files.length).toBeGreaterThan(30);
      expect(stdout.length).toBeGreaterThan(1_000);
      expect(stdout.split('\n').filter((line) => line.includes('FAILED '))).toEqual([]);
    });
});
